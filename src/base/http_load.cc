#include "base/http_load.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>

#include "base/retry_after.h"

namespace dikast {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kMostAnswerBytes = 64u << 20;
// After a failed exchange a closed loop waits, lest it spins on a server that is not there.
constexpr std::chrono::milliseconds kAfterFailure(20);

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

Clock::duration FromSeconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// What the response asks for, in seconds.
double WaitOf(const http::response<http::string_body>& response) {
  HttpResponse asked;
  for (const char* name : {"retry-after", "retry-after-ms"}) {
    const auto field = response.find(name);
    if (field != response.end()) asked.headers.emplace_back(name, std::string(field->value()));
  }
  const auto wait = RequestedWait(asked, std::chrono::system_clock::now());
  return wait ? Seconds(*wait) : 0;
}

// Of this thread, in seconds of processor time.
double ProcessorTime() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// One exchange after the other on a kept connection; the owner says what comes next.
class Exchanger {
 public:
  using Done = std::function<void(Exchanger&, const LoadSample&, const std::string& failure)>;

  Exchanger(asio::io_context& context, const tcp::resolver::results_type& addresses,
            std::chrono::milliseconds limit, Done done)
      : context_(context), addresses_(addresses), limit_(limit), done_(std::move(done)) {}

  bool connected() const { return stream_.has_value(); }

  // `due` is since `start`.
  void Send(http::request<http::string_body> request, Clock::time_point start, double due) {
    request_ = std::move(request);
    start_ = start;
    sample_ = {.due = due, .sent = Seconds(Clock::now() - start) - due, .server_timing = {}};
    Try();
  }

 private:
  void Try() {
    fresh_ = !connected();
    if (!fresh_) return Write();
    stream_.emplace(context_);
    stream_->expires_after(limit_);
    stream_->async_connect(addresses_, [this](beast::error_code error, const tcp::endpoint&) {
      if (error) return Fail(error, "connect");
      stream_->socket().set_option(tcp::no_delay(true), error);
      Write();
    });
  }

  void Write() {
    stream_->expires_after(limit_);
    http::async_write(*stream_, request_, [this](beast::error_code error, size_t) {
      if (error == beast::error::timeout) return Fail(error, "send");
      Read();  // also after a failed write: a refusal may have been sent before the body was read
    });
  }

  void Read() {
    parser_.emplace();
    parser_->body_limit(kMostAnswerBytes);
    http::async_read(*stream_, buffer_, *parser_, [this](beast::error_code error, size_t) {
      if (error && !fresh_ && !parser_->got_some() && error != beast::error::timeout) {
        stream_.reset();  // closed between two requests: no answer was begun
        buffer_.clear();
        return Try();
      }
      if (error) return Fail(error, "answer");
      Finish();
    });
  }

  void Finish() {
    const http::response<http::string_body>& response = parser_->get();
    sample_.done = Seconds(Clock::now() - start_) - sample_.due;
    sample_.status = response.result_int();
    sample_.retry_after = response.count(http::field::retry_after) != 0;
    sample_.wait = WaitOf(response);
    const auto timing = response.find("Server-Timing");
    if (timing != response.end()) sample_.server_timing = std::string(timing->value());
    if (!response.keep_alive()) stream_.reset();
    done_(*this, sample_, "");
  }

  void Fail(const beast::error_code& error, const char* doing) {
    sample_.done = Seconds(Clock::now() - start_) - sample_.due;
    stream_.reset();
    buffer_.clear();
    const std::string what =
        error == beast::error::timeout ? std::string("timed out") : error.message();
    done_(*this, sample_, std::string(doing) + ": " + what);
  }

  asio::io_context& context_;
  const tcp::resolver::results_type& addresses_;
  std::chrono::milliseconds limit_;
  Done done_;
  std::optional<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  std::optional<http::response_parser<http::string_body>> parser_;
  Clock::time_point start_;
  LoadSample sample_;
  bool fresh_ = false;
};

class Load {
 public:
  Load(const LoadPlan& plan, tcp::resolver::results_type addresses)
      : plan_(plan), addresses_(std::move(addresses)), arrival_(context_), sampling_(context_) {}

  LoadResult Run();

 private:
  http::request<http::string_body> Request(http::verb method, const std::string& target) const;
  bool Over() const { return Seconds(Clock::now() - start_) >= plan_.seconds; }
  void SendNext(Exchanger& exchanger, double due);
  void Answered(Exchanger& exchanger, const LoadSample& sample, const std::string& failure);
  void Pause(Exchanger& exchanger, Clock::duration time);
  void GoOn(Exchanger& exchanger);
  void WaitForArrival();
  void Arrive();
  void WaitForSampling();

  const LoadPlan& plan_;
  tcp::resolver::results_type addresses_;
  asio::io_context context_{1};
  asio::steady_timer arrival_, sampling_;
  std::deque<Exchanger> exchangers_;  // a deque: handlers hold their addresses
  std::optional<Exchanger> beside_;
  std::vector<Exchanger*> idle_;  // last used, first taken: few connections at a low rate
  std::deque<double> due_;        // arrived, and no connection was free
  Clock::time_point start_;
  uint64_t bodies_ = 0, arrivals_ = 0;
  uint64_t under_way_ = 0;
  LoadResult result_;
};

http::request<http::string_body> Load::Request(http::verb method, const std::string& target) const {
  http::request<http::string_body> request(method, plan_.url.prefix + target, 11);
  request.set(http::field::host, plan_.url.Authority());
  request.set(http::field::user_agent, "dikast-bench");
  for (const auto& [name, value] : plan_.headers) request.set(name, value);
  return request;
}

void Load::SendNext(Exchanger& exchanger, double due) {
  http::request<http::string_body> request = Request(http::verb::post, plan_.target);
  request.set(http::field::content_type, "application/json");
  request.body() = plan_.body(bodies_++);
  request.prepare_payload();
  ++under_way_;
  exchanger.Send(std::move(request), start_, due);
}

void Load::Answered(Exchanger& exchanger, const LoadSample& sample, const std::string& failure) {
  --under_way_;
  result_.samples.push_back(sample);
  if (!failure.empty()) {
    ++result_.failures[failure];
    return Pause(exchanger, kAfterFailure);
  }
  const bool waits = plan_.rate == 0 && !plan_.impatient && sample.wait > 0;
  if (!waits) return GoOn(exchanger);
  Pause(exchanger, FromSeconds(std::min(sample.wait, plan_.seconds)));  // ends with the run
}

void Load::Pause(Exchanger& exchanger, Clock::duration time) {
  const auto pause = std::make_shared<asio::steady_timer>(context_, time);
  pause->async_wait([this, &exchanger, pause](beast::error_code) { GoOn(exchanger); });
}

void Load::GoOn(Exchanger& exchanger) {
  if (Over()) return;
  if (plan_.rate == 0) return SendNext(exchanger, Seconds(Clock::now() - start_));
  if (due_.empty()) return idle_.push_back(&exchanger);
  const double due = due_.front();
  due_.pop_front();
  SendNext(exchanger, due);
}

void Load::WaitForArrival() {
  const double due = static_cast<double>(arrivals_) / plan_.rate;
  if (due >= plan_.seconds) return;
  arrival_.expires_at(start_ + FromSeconds(due));
  arrival_.async_wait([this](beast::error_code) { Arrive(); });
}

// Everything that is due by now: the timer may have been late.
void Load::Arrive() {
  const double now = Seconds(Clock::now() - start_);
  for (double due; (due = static_cast<double>(arrivals_) / plan_.rate) <= now; ++arrivals_) {
    if (due >= plan_.seconds) return;
    if (idle_.empty()) {
      due_.push_back(due);
    } else {
      Exchanger* const exchanger = idle_.back();
      idle_.pop_back();
      SendNext(*exchanger, due);
    }
  }
  WaitForArrival();
}

void Load::WaitForSampling() {
  if (Over()) return;
  sampling_.expires_after(plan_.beside_every);
  sampling_.async_wait([this](beast::error_code) {
    if (Over()) return;
    beside_->Send(Request(http::verb::get, plan_.beside_target), start_,
                  Seconds(Clock::now() - start_));
  });
}

LoadResult Load::Run() {
  const double processor = ProcessorTime();
  start_ = Clock::now();
  beside_.emplace(context_, addresses_, plan_.exchange,
                  [this](Exchanger&, const LoadSample& sample, const std::string&) {
                    result_.beside.push_back(sample);
                    WaitForSampling();
                  });
  WaitForSampling();
  for (uint32_t c = 0; c < plan_.connections; ++c) {
    exchangers_.emplace_back(
        context_, addresses_, plan_.exchange,
        [this](Exchanger& exchanger, const LoadSample& sample, const std::string& failure) {
          Answered(exchanger, sample, failure);
        });
  }
  for (Exchanger& exchanger : exchangers_) GoOn(exchanger);
  if (plan_.rate > 0) WaitForArrival();
  context_.run();
  result_.unsent = due_.size();
  result_.seconds = Seconds(Clock::now() - start_);
  result_.busy = (ProcessorTime() - processor) / result_.seconds;
  return std::move(result_);
}

}  // namespace

Result<LoadResult> RunLoad(const LoadPlan& plan) {
  asio::io_context context;
  beast::error_code error;
  const auto addresses =
      tcp::resolver(context).resolve(plan.url.host, std::to_string(plan.url.port), error);
  if (error) return Fail(ErrorCode::kUsage, error.message(), plan.url.Authority());
  return Load(plan, addresses).Run();
}

}  // namespace dikast
