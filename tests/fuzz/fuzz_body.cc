// A body of any bytes on the route DIKAST_FUZZ_ROUTE: read, answered by a small model or refused,
// and what is written is JSON.
#include <future>
#include <memory>
#include <string>

#include "tests/fuzz/tiny_app.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dikast::server::Exchange;
  using dikast::server::HttpResponse;
  const auto exchange = std::make_shared<Exchange>();
  exchange->request.method = "POST";
  exchange->request.path = DIKAST_FUZZ_ROUTE;
  exchange->request.body.assign(reinterpret_cast<const char*>(data), size);
  const auto answer = std::make_shared<std::promise<HttpResponse>>();
  exchange->OnAnswer([answer](HttpResponse response) { answer->set_value(std::move(response)); });
  dikast::TinyApp().OnRequest(exchange);
  const HttpResponse response = answer->get_future().get();
  dikast::RequireGoodAnswer(response.status, response.content_type, response.body);
  return 0;
}
