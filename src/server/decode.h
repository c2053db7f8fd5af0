// Content-Encoding: zstd, gzip and identity bodies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/fault.h"

namespace dikast::server {

enum class Encoding { kIdentity, kZstd, kGzip };

// The encoding of a Content-Encoding header; nothing for one that is not decoded here.
std::optional<Encoding> ParseEncoding(std::string_view header);

// The decoded body, of one or more frames or members; never more than `limit` bytes are made.
// Errors: 413 past `limit`, 422 for a body that is damaged, cut off, or asks for a window over
// 8 MiB (RFC 9659).
tl::expected<std::string, Fault> Decode(Encoding encoding, std::string body, uint64_t limit);

}  // namespace dikast::server
