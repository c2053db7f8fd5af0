#include "server/http.h"

#include <algorithm>
#include <array>

namespace dikast::server {
std::string_view HttpRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (SameName(key, name)) return value;
  }
  return {};
}

size_t HttpRequest::Count(std::string_view name) const {
  return static_cast<size_t>(std::count_if(headers.begin(), headers.end(),
                                           [&](const auto& h) { return SameName(h.first, name); }));
}

void HttpRequest::Remove(std::string_view name) {
  std::erase_if(headers, [&](const auto& header) { return SameName(header.first, name); });
}

void Exchange::Answer(HttpResponse response) {
  Respond respond;
  {
    const std::lock_guard lock(mutex_);
    respond = std::exchange(respond_, nullptr);  // it may hold what holds this
  }
  if (respond) respond(std::move(response));
}

void Exchange::Leave() {
  std::function<void()> action;
  {
    const std::lock_guard lock(mutex_);
    if (gone_.exchange(true)) return;
    action = std::move(on_leave_);
  }
  if (action) action();
}

void Exchange::OnLeave(std::function<void()> action) {
  {
    const std::lock_guard lock(mutex_);
    if (!gone_) {
      on_leave_ = std::move(action);
      return;
    }
  }
  action();
}

std::string_view ReasonPhrase(unsigned status) {
  struct Row {
    unsigned status;
    std::string_view phrase;
  };
  static constexpr std::array<Row, 21> kRows = {{{200, "OK"},
                                                 {400, "Bad Request"},
                                                 {401, "Unauthorized"},
                                                 {403, "Forbidden"},
                                                 {404, "Not Found"},
                                                 {405, "Method Not Allowed"},
                                                 {408, "Request Timeout"},
                                                 {409, "Conflict"},
                                                 {411, "Length Required"},
                                                 {413, "Content Too Large"},
                                                 {415, "Unsupported Media Type"},
                                                 {417, "Expectation Failed"},
                                                 {421, "Misdirected Request"},
                                                 {422, "Unprocessable Content"},
                                                 {429, "Too Many Requests"},
                                                 {431, "Request Header Fields Too Large"},
                                                 {500, "Internal Server Error"},
                                                 {501, "Not Implemented"},
                                                 {503, "Service Unavailable"},
                                                 {505, "HTTP Version Not Supported"},
                                                 {529, "Overloaded"}}};
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.status == status; });
  return row == kRows.end() ? std::string_view("Unknown") : row->phrase;
}

}  // namespace dikast::server
