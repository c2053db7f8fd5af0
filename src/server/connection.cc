#include "server/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "server/app.h"
#include "server/head.h"

namespace dikast::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Errors = beast::error_code;

namespace {

constexpr size_t kReadChunk = 4096;

// A refused request's body up to this size is read and dropped, so that the connection can go on.
constexpr uint64_t kWorthReading = 64 << 10;

// A client that is told of a drain by the end of its idle connection may have a request under way.
constexpr std::chrono::milliseconds kDrainGrace(250);
constexpr std::chrono::milliseconds kLinger(1000);

std::chrono::milliseconds Ms(uint64_t count) {
  // Far past any use, and far from overflow when added to a time.
  return std::chrono::milliseconds(std::min<uint64_t>(count, uint64_t{1} << 40));
}

// Nothing that goes into a head may end its line.
std::string OneLine(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](unsigned char c) { return c < 32 || c == 127; }, '?');
  return value;
}

}  // namespace

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  Connection(Socket socket, std::string peer, App& app, ConnectionTable& table)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        peer_(std::move(peer)),
        app_(app),
        limits_(app.options().limits),
        table_(table) {
    ++table_.open_;
  }
  ~Connection() { --table_.open_; }

  void Start() { WaitForRequest(); }

  void Close() {
    exchange_.reset();
    CloseSocket();
  }

  void CloseSoon() { AllowFor(kDrainGrace); }

 private:
  void CloseSocket() {
    NotIdle();
    timer_.cancel();
    Errors ignored;
    socket_.shutdown(asio::socket_base::shutdown_both, ignored);
    socket_.close(ignored);
  }

  // Calls `next` with this connection kept alive; past the time allowed with a time-out.
  template <class Next>
  auto Then(Next next) {
    return [self = shared_from_this(), next](Errors error, auto... rest) {
      ((*self).*next)(self->late_ ? Errors(asio::error::timed_out) : error, rest...);
    };
  }

  // What is started until the next AllowFor or AllowForever must end within `time`.
  void AllowFor(std::chrono::milliseconds time) {
    late_ = false;
    timer_.expires_after(time);
    timer_.async_wait([weak = weak_from_this()](Errors error) {
      const std::shared_ptr<Connection> self = weak.lock();
      // It may have been set anew while this call was on its way.
      if (error || !self || self->timer_.expiry() > asio::steady_timer::clock_type::now()) return;
      self->late_ = true;
      Errors ignored;
      self->socket_.cancel(ignored);
    });
  }
  void AllowForever() {
    late_ = false;
    timer_.expires_at(asio::steady_timer::time_point::max());
  }

  // Between requests the idle time runs, and a connection costs as little memory as it can; from
  // the first byte of a request, the time to read it.
  void WaitForRequest() {
    message_.reset();
    head_only_.reset();
    parser_.reset();
    if (buffer_.size() > 0) return ReadHead();
    buffer_.shrink_to_fit();
    idle_ = table_.idle_.insert(table_.idle_.end(), this);
    // The drain may have begun while its last answer was on its way.
    AllowFor(app_.draining() ? kDrainGrace : Ms(limits_.idle_ms));
    socket_.async_wait(asio::socket_base::wait_read, Then(&Connection::OnReadable));
  }

  void NotIdle() {
    if (idle_) table_.idle_.erase(*std::exchange(idle_, std::nullopt));
  }

  void OnReadable(Errors error) {
    NotIdle();
    error ? Close() : ReadHead();
  }

  void ReadHead() {
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(limits_.header_bytes));
    parser_->body_limit(boost::none);  // CheckLength knows better what to say
    AllowFor(Ms(limits_.read_ms));
    http::async_read_header(socket_, buffer_, *parser_, Then(&Connection::OnHead));
  }

  void OnHead(Errors error, size_t) {
    if (IsSilent(error)) return Close();
    exchange_ = std::make_shared<Exchange>();
    exchange_->id = NewRequestId();
    if (error) return OnReadError(error);
    CopyHead();
    if (std::optional<HttpResponse> refusal = CheckHead(*exchange_, parser_->get().version())) {
      return Write(*std::move(refusal));
    }
    refusal_ = app_.OnHead(*exchange_);
    const uint64_t length = exchange_->request.content_length;
    if (!refusal_ && !exchange_->body_claim && length > kWorthReading) {
      refusal_ = ReadFault(ReadFailure::kBodyTooLarge);  // of a GET, say
    }
    const bool waits = !exchange_->request.Header("Expect").empty() && !parser_->is_done();
    if (refusal_ && (waits || length > kWorthReading)) return WriteRefusal();
    if (!waits) return ReadBody();
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue), Then(&Connection::OnContinueSent));
  }

  void CopyHead() {
    const auto& head = parser_->get();
    HttpRequest& request = exchange_->request;
    request.method = std::string(head.method_string());
    SplitTarget(std::string(head.target()), request);
    for (const auto& field : head) {
      request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    const std::string_view id = request.Header("X-Request-Id");
    if (IsSaneRequestId(id)) exchange_->id = std::string(id);
    request.content_length = parser_->content_length().value_or(0);
    request.peer = peer_;
    keep_alive_ = head.keep_alive();
  }

  void OnContinueSent(Errors error, size_t) { error ? Close() : ReadBody(); }

  // In parts, and room is made for each: the string reserves the whole length, but memory that is
  // not written to costs nothing.
  void ReadBody() {
    if (parser_->is_done()) return OnWhole();
    if (!refusal_) refusal_ = app_.OnBodyPart(*exchange_, parser_->get().body().size());
    if (refusal_ && exchange_->request.content_length > kWorthReading) return WriteRefusal();
    parser_->eager(true);
    http::async_read_some(socket_, buffer_, *parser_, Then(&Connection::OnBodyPart));
  }

  void OnBodyPart(Errors error, size_t) {
    if (IsSilent(error)) return Close();
    error ? OnReadError(error) : ReadBody();
  }

  void OnWhole() {
    if (refusal_) return WriteRefusal();
    exchange_->request.body = std::move(parser_->get().body());
    AllowForever();
    // Until it answers, an exchange keeps its connection alive.
    exchange_->OnAnswer([self = shared_from_this()](HttpResponse response) {
      asio::post(self->socket_.get_executor(), [self, response = std::move(response)]() mutable {
        self->OnAnswer(std::move(response));
      });
    });
    answering_ = true;
    if (buffer_.size() == 0) WatchForHangUp();
    app_.OnRequest(exchange_);
  }

  static bool IsSilent(Errors error) {
    return error == http::error::end_of_stream || error == asio::error::eof ||
           error == asio::error::connection_reset || error == asio::error::operation_aborted;
  }

  // A request that never came whole is answered where that can help its sender.
  void OnReadError(Errors error) {
    if (exchange_->request.method.empty()) exchange_->request.method = "-";
    Write(ReadFault(ReasonOf(error)));
  }

  static ReadFailure ReasonOf(Errors error) {
    if (error == asio::error::timed_out) return ReadFailure::kTimeout;
    if (error == http::error::body_limit) return ReadFailure::kBodyTooLarge;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return ReadFailure::kHeaderTooLarge;
    }
    if (error == http::error::partial_message) return ReadFailure::kPartial;
    return ReadFailure::kMalformed;
  }

  // The client that closes its side while it waits has gone: nobody would read the answer.
  void WatchForHangUp() {
    socket_.async_wait(asio::socket_base::wait_read,
                       [self = shared_from_this(), watched = exchange_](Errors error) {
                         if (error || !self->answering_ || self->exchange_ != watched) return;
                         if (self->PeerHasClosed()) self->Abandon();
                       });
  }

  bool PeerHasClosed() {
    char byte = 0;
    const ssize_t count = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
  }

  // Until the App gives up its exchange it writes to the facts, so that the log waits for that.
  void Abandon() {
    exchange_->slot.reset();
    CloseSocket();
    exchange_->Leave();
  }

  void OnAnswer(HttpResponse response) {
    answering_ = false;
    if (exchange_->gone()) return OnAbandoned();
    Errors ignored;
    socket_.cancel(ignored);  // the watch for a hang-up
    Write(std::move(response));
  }

  // The status is nginx's, for log and metrics: nobody reads it.
  void OnAbandoned() {
    HttpResponse nobody{.status = 499, .cause = "client_closed_request"};
    app_.Finish(*exchange_, nobody);
    exchange_.reset();
  }

  void WriteRefusal() {
    refusal_->close = refusal_->close || !parser_->is_done();
    Write(*std::exchange(refusal_, std::nullopt));
  }

  void Write(HttpResponse response) {
    exchange_->slot.reset();  // before the client can know and send its next request
    app_.Finish(*exchange_, response);
    keep_alive_ = keep_alive_ && !response.close;
    message_.emplace(static_cast<http::status>(response.status), 11);
    message_->reason(ReasonPhrase(response.status));
    message_->set(http::field::content_type, response.content_type);
    for (auto& [name, value] : response.headers) message_->insert(name, OneLine(std::move(value)));
    message_->body() = std::move(response.body);
    message_->prepare_payload();
    message_->keep_alive(keep_alive_);
    if (keep_alive_ && parser_->get().version() == 10) {
      message_->set(http::field::connection, "keep-alive");  // HTTP/1.0 closes unless it is told
    }
    AllowFor(Ms(limits_.write_ms));
    if (exchange_->request.method == "HEAD") {
      head_only_.emplace(*message_);
      http::async_write_header(socket_, *head_only_, Then(&Connection::OnWritten));
    } else {
      http::async_write(socket_, *message_, Then(&Connection::OnWritten));
    }
  }

  void OnWritten(Errors error, size_t) {
    exchange_.reset();
    if (error) return Close();
    if (!keep_alive_) return Linger();
    WaitForRequest();
  }

  // Closing with unread bytes would reset the connection, and the client might lose the answer.
  void Linger() {
    parser_.reset();  // its body is no longer counted
    Errors ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    lingered_ = 0;
    AllowFor(kLinger);
    ReadAndForget();
  }

  void ReadAndForget() {
    buffer_.clear();
    socket_.async_read_some(buffer_.prepare(kReadChunk), Then(&Connection::OnForgotten));
  }

  void OnForgotten(Errors error, size_t bytes) {
    lingered_ += bytes;
    if (error || lingered_ > limits_.body_bytes) return Close();
    ReadAndForget();
  }

  Socket socket_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_;
  std::string peer_;
  App& app_;
  const ServerLimits& limits_;
  ConnectionTable& table_;
  std::optional<ConnectionTable::Idle::iterator> idle_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> message_;
  std::optional<http::response_serializer<http::string_body>> head_only_;
  std::shared_ptr<Exchange> exchange_;
  std::optional<HttpResponse> refusal_;  // known from the head, written after the body
  bool keep_alive_ = false;
  bool answering_ = false;  // the App has the exchange
  bool late_ = false;       // the time allowed is over
  size_t lingered_ = 0;
};

bool ConnectionTable::CloseLongestIdle() {
  if (idle_.empty()) return false;
  idle_.front()->Close();
  return true;
}

void ConnectionTable::CloseIdle() {
  for (Connection* connection : idle_) connection->CloseSoon();
}

void StartConnection(asio::generic::stream_protocol::socket socket, std::string peer, App& app,
                     ConnectionTable& table) {
  std::make_shared<Connection>(std::move(socket), std::move(peer), app, table)->Start();
}

}  // namespace dikast::server
