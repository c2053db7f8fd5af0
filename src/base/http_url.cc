#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/http_client.h"

namespace dikast {
namespace {

constexpr std::string_view kScheme = "http://";

tl::unexpected<Error> Refuse(const std::string& what) {
  return Fail(ErrorCode::kUsage, what + "; an address is http://HOST:PORT");
}

// What could end a request line or a header early.
bool HasForbiddenByte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '@' || c == '?' || c == '#';
  });
}

}  // namespace

std::string HttpUrl::Authority() const {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<HttpUrl> ParseHttpUrl(std::string_view url) {
  if (SameName(url.substr(0, 8), "https://")) {
    return Fail(ErrorCode::kUsage,
                "https is not spoken here: give the http:// address of a server on this machine or "
                "network, or of a proxy that adds TLS");
  }
  if (!SameName(url.substr(0, kScheme.size()), kScheme)) return Refuse("no http:// address");
  if (HasForbiddenByte(url)) return Refuse("a space, control character, '@', '?' or '#' in it");
  url.remove_prefix(kScheme.size());
  const size_t slash = std::min(url.find('/'), url.size());
  std::string_view authority = url.substr(0, slash), prefix = url.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);

  HttpUrl parsed{.host = {}, .prefix = std::string(prefix)};
  const size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return Refuse("a '[' without its ']'");
  const size_t colon = authority.find(':', bracket);
  if (colon != std::string_view::npos) {
    const std::string_view digits = authority.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
    if (error != std::errc() || end != digits.data() + digits.size() || parsed.port == 0) {
      return Refuse("the port is no number from 1 to 65535");
    }
    authority = authority.substr(0, colon);
  }
  if (bracket != 0) authority = authority.substr(1, bracket - 1);
  if (authority.empty()) return Refuse("no host");
  parsed.host = authority;
  return parsed;
}

const std::string* HttpResponse::Find(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (SameName(key, name)) return &value;
  }
  return nullptr;
}

}  // namespace dikast
