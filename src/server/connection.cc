#include "server/connection.h"

#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
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

std::chrono::milliseconds Ms(uint64_t count) { return std::chrono::milliseconds(count); }

}  // namespace

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Stream = beast::basic_stream<asio::generic::stream_protocol>;

  Connection(Stream::socket_type socket, std::string peer, App& app, ConnectionTable& table)
      : stream_(std::move(socket)),
        peer_(std::move(peer)),
        app_(app),
        limits_(app.options().limits),
        table_(table) {
    ++table_.open_;
  }
  ~Connection() { --table_.open_; }

  void Start() { WaitForRequest(); }

  void Close() {
    NotIdle();
    exchange_.reset();
    Errors ignored;
    stream_.socket().shutdown(asio::socket_base::shutdown_both, ignored);
    stream_.close();
  }

 private:
  // Calls `next` with this connection kept alive.
  template <class Next>
  auto Then(Next next) {
    return [self = shared_from_this(), next](Errors error, auto... rest) {
      ((*self).*next)(error, rest...);
    };
  }

  // Between requests the idle time runs; from the first byte of one, the time to read it.
  void WaitForRequest() {
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(limits_.header_bytes));
    parser_->body_limit(limits_.body_bytes);
    if (buffer_.size() > 0) return ReadHead();
    idle_ = table_.idle_.insert(table_.idle_.end(), this);
    stream_.expires_after(Ms(limits_.idle_ms));
    stream_.async_read_some(buffer_.prepare(kReadChunk), Then(&Connection::OnFirstBytes));
  }

  void NotIdle() {
    if (idle_) table_.idle_.erase(*std::exchange(idle_, std::nullopt));
  }

  void OnFirstBytes(Errors error, size_t bytes) {
    NotIdle();
    if (error) return Close();
    buffer_.commit(bytes);
    ReadHead();
  }

  void ReadHead() {
    stream_.expires_after(Ms(limits_.read_ms));
    http::async_read_header(stream_, buffer_, *parser_, Then(&Connection::OnHead));
  }

  void OnHead(Errors error, size_t) {
    // Until it answers, an exchange keeps its connection alive.
    exchange_ = std::make_shared<Exchange>([self = shared_from_this()](HttpResponse response) {
      const auto executor = self->stream_.get_executor();
      asio::post(executor, [self, response = std::move(response)]() mutable {
        self->Write(std::move(response));
      });
    });
    exchange_->id = NewRequestId();
    if (error) return OnReadError(error);
    CopyHead();
    if (std::optional<HttpResponse> refusal = CheckHead(*exchange_, parser_->get().version())) {
      return Write(*std::move(refusal));
    }
    if (std::optional<HttpResponse> answer = app_.OnHead(*exchange_)) {
      answer->close = answer->close || !parser_->is_done();
      return Write(*std::move(answer));
    }
    if (exchange_->request.Header("Expect").empty() || parser_->is_done()) return ReadBody();
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue), Then(&Connection::OnContinueSent));
  }

  void CopyHead() {
    const auto& head = parser_->get();
    HttpRequest& request = exchange_->request;
    request.method = std::string(head.method_string());
    SplitTarget(std::string(head.target()), request);
    for (const auto& field : head) {
      request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    request.peer = peer_;
    keep_alive_ = head.keep_alive();
  }

  void OnContinueSent(Errors error, size_t) { error ? Close() : ReadBody(); }

  void ReadBody() { http::async_read(stream_, buffer_, *parser_, Then(&Connection::OnBody)); }

  void OnBody(Errors error, size_t) {
    if (error) return OnReadError(error);
    exchange_->request.body = std::move(parser_->get().body());
    stream_.expires_never();
    answering_ = true;
    if (buffer_.size() == 0) WatchForHangUp();
    app_.OnRequest(exchange_);
  }

  // A request that never came whole is answered where that can help its sender.
  void OnReadError(Errors error) {
    const bool silent = error == http::error::end_of_stream || error == asio::error::eof ||
                        error == asio::error::connection_reset ||
                        error == asio::error::operation_aborted;
    if (silent) return Close();
    if (exchange_->request.method.empty()) exchange_->request.method = "-";
    Write(ReadFault(ReasonOf(error)));
  }

  static ReadFailure ReasonOf(Errors error) {
    if (error == beast::error::timeout) return ReadFailure::kTimeout;
    if (error == http::error::body_limit) return ReadFailure::kBodyTooLarge;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return ReadFailure::kHeaderTooLarge;
    }
    if (error == http::error::bad_version) return ReadFailure::kVersion;
    if (error == http::error::partial_message) return ReadFailure::kPartial;
    return ReadFailure::kMalformed;
  }

  // The client that closes its side while it waits has gone: nobody would read the answer.
  void WatchForHangUp() {
    stream_.socket().async_wait(asio::socket_base::wait_read,
                                [self = shared_from_this(), watched = exchange_](Errors error) {
                                  if (error || self->exchange_ != watched) return;
                                  if (self->PeerHasClosed()) self->Abandon();
                                });
  }

  bool PeerHasClosed() {
    char byte = 0;
    return ::recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  void Abandon() {
    answering_ = false;
    exchange_->Leave();
    Close();
  }

  void Write(HttpResponse response) {
    if (!exchange_) return;  // the client left
    if (std::exchange(answering_, false)) {
      Errors ignored;
      stream_.socket().cancel(ignored);  // the watch for a hang-up
    }
    app_.Finish(*exchange_, response);
    keep_alive_ = keep_alive_ && !response.close;
    message_.emplace(static_cast<http::status>(response.status), 11);
    message_->reason(ReasonPhrase(response.status));
    message_->set(http::field::content_type, response.content_type);
    for (const auto& [name, value] : response.headers) message_->insert(name, value);
    message_->body() = std::move(response.body);
    message_->prepare_payload();
    message_->keep_alive(keep_alive_);
    stream_.expires_after(Ms(limits_.write_ms));
    if (exchange_->request.method == "HEAD") {
      head_only_.emplace(*message_);
      http::async_write_header(stream_, *head_only_, Then(&Connection::OnWritten));
    } else {
      http::async_write(stream_, *message_, Then(&Connection::OnWritten));
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
    Errors ignored;
    stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    lingered_ = 0;
    stream_.expires_after(std::chrono::seconds(1));
    ReadAndForget();
  }

  void ReadAndForget() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kReadChunk), Then(&Connection::OnForgotten));
  }

  void OnForgotten(Errors error, size_t bytes) {
    lingered_ += bytes;
    if (error || lingered_ > limits_.body_bytes) return Close();
    ReadAndForget();
  }

  Stream stream_;
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
  bool keep_alive_ = false;
  bool answering_ = false;  // the App has the exchange
  size_t lingered_ = 0;
};

bool ConnectionTable::CloseLongestIdle() {
  if (idle_.empty()) return false;
  idle_.front()->Close();
  return true;
}

void ConnectionTable::CloseIdle() {
  while (CloseLongestIdle()) {
  }
}

void StartConnection(asio::generic::stream_protocol::socket socket, std::string peer, App& app,
                     ConnectionTable& table) {
  std::make_shared<Connection>(std::move(socket), std::move(peer), app, table)->Start();
}

}  // namespace dikast::server
