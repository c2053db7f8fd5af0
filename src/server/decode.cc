#include "server/decode.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "server/http.h"

namespace dikast::server {
namespace {

using Decoded = tl::expected<std::string, Fault>;

constexpr size_t kChunk = 64 << 10;
constexpr int kWindowLog = 23;  // 8 MiB: what a receiver must take, and no more. RFC 9659

tl::unexpected<Fault> TooLarge(uint64_t limit) {
  return tl::unexpected(Fault{.status = 413,
                              .type = "request_too_large",
                              .message = "the decoded body is larger than " +
                                         std::to_string(limit) + " bytes (--decoded-bytes)"});
}

tl::unexpected<Fault> Damaged(const char* message) {
  return tl::unexpected(Fault{.status = 422, .type = "encoding_invalid", .message = message});
}

// Makes room for the next chunk in `text`, of which `size` bytes are used; one byte past the limit
// shows that there is more.
size_t Grow(std::string& text, size_t size, uint64_t limit) {
  if (text.size() == size) {
    text.resize(std::min<uint64_t>(std::max(size * 2, size + kChunk), limit + 1));
  }
  return text.size() - size;
}

Decoded DecodeZstd(const std::string& body, uint64_t limit) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kWindowLog);
  ZSTD_inBuffer in{body.data(), body.size(), 0};
  std::string text;
  size_t size = 0, hint = 1;  // hint 0: a frame is complete
  while (true) {
    const size_t room = Grow(text, size, limit);
    ZSTD_outBuffer out{text.data() + size, room, 0};
    const size_t before = in.pos;
    hint = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(hint)) {
      return Damaged("the body is no zstd, is damaged, or asks for a window over 8 MiB");
    }
    size += out.pos;
    if (size > limit) return TooLarge(limit);
    const bool all_read = in.pos == in.size;
    if (all_read && hint == 0) break;
    if (in.pos == before && out.pos == 0) return Damaged("the zstd body is cut off");
  }
  text.resize(size);
  return text;
}

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream, 15 + 16) == Z_OK; }  // +16: gzip alone
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream);
  }
  bool ready() const { return ready_; }

  z_stream stream{};

 private:
  bool ready_;
};

Decoded DecodeGzip(std::string& body, uint64_t limit) {
  Inflater inflater;
  if (!inflater.ready()) return Damaged("the body cannot be decoded");
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(body.data());
  stream.avail_in = static_cast<uInt>(body.size());
  std::string text;
  size_t size = 0;
  while (true) {
    const size_t room = Grow(text, size, limit);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    size += room - stream.avail_out;
    if (size > limit) return TooLarge(limit);
    if (status == Z_BUF_ERROR) return Damaged("the gzip body is cut off");
    if (status == Z_STREAM_END && stream.avail_in == 0) break;
    if (status == Z_STREAM_END && inflateReset(&stream) == Z_OK) continue;  // the next member
    if (status != Z_OK) return Damaged("the body is no gzip, or is damaged");
  }
  text.resize(size);
  return text;
}

}  // namespace

std::optional<Encoding> ParseEncoding(std::string_view header) {
  if (header.empty() || SameName(header, "identity")) return Encoding::kIdentity;
  if (SameName(header, "zstd")) return Encoding::kZstd;
  if (SameName(header, "gzip") || SameName(header, "x-gzip")) return Encoding::kGzip;
  return std::nullopt;
}

Decoded Decode(Encoding encoding, std::string body, uint64_t limit) {
  if (encoding == Encoding::kIdentity) return body;
  if (body.empty()) return Damaged("the body is empty");
  return encoding == Encoding::kZstd ? DecodeZstd(body, limit) : DecodeGzip(body, limit);
}

}  // namespace dikast::server
