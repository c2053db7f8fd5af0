// Listens, accepts, runs the I/O thread; the rest is the App's.
#include "dikast/server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/try.h"
#include "server/app.h"
#include "server/connection.h"
#include "server/host_check.h"

namespace dikast {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// Clients open 64 to 100 connections at once; with a backlog of 5 many are reset. protocols.md,
// resolution 15.
constexpr int kBacklog = 1024;
constexpr std::chrono::milliseconds kAcceptPause(50);

// Beside the connections: the model, the log, the keys, what the runtime keeps open.
constexpr uint64_t kOtherDescriptors = 64;

std::string UrlOf(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return "http://" + (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

Result<tcp::endpoint> Resolve(const ServerOptions& options) {
  boost::system::error_code error;
  asio::io_context context;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                      tcp::resolver::numeric_service, error);
  if (error || found.empty()) {
    return Fail(ErrorCode::kUsage,
                "--host " + options.host + " is no address of this machine: " + error.message());
  }
  return found.begin()->endpoint();
}

Result<void> Open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  if (!error) return {};
  return Fail(ErrorCode::kModel, "cannot listen on " + UrlOf(endpoint) + ": " + error.message() +
                                     "; another --port, or --port 0 for a free one");
}

// A stranger on the network must not find an open server because an option was forgotten.
Result<void> CheckExposure(const ServerOptions& options, const tcp::endpoint& endpoint) {
  if (server::IsLoopback(endpoint.address().to_string()) || !options.keys.empty() ||
      options.remote_without_keys) {
    return {};
  }
  return Fail(ErrorCode::kUsage, "--host " + options.host +
                                     " can be reached from other machines: give --keys FILE, or "
                                     "say --allow-remote-without-keys");
}

void MakeRoomForConnections(uint64_t connections, Log& log) {
  const uint64_t wanted = connections + kOtherDescriptors;
  const uint64_t allowed = RaiseDescriptorLimit(wanted);
  if (allowed >= wanted) return;
  JsonWriter line = Log::Begin(LogLevel::kWarn, "the limit on open files is below --connections");
  line.Key("allowed").Integer(static_cast<int64_t>(allowed));
  line.Key("wanted").Integer(static_cast<int64_t>(wanted));
  log.Write(LogLevel::kWarn, std::move(line));
}

}  // namespace

struct Server::Impl {
  Impl(const ServerOptions& options, const tcp::endpoint& endpoint, std::unique_ptr<Log> log)
      : app(options, endpoint.address().to_string(), std::move(log),
            [this] { return table.size(); }),
        acceptor(context) {}
  ~Impl();

  void Accept();
  void OnAccept(boost::system::error_code error, tcp::socket socket);
  void AcceptLater();
  void Begin(tcp::socket socket);
  void StopAccepting();
  void Serve();

  server::ConnectionTable table;  // connections live as long as the context
  asio::io_context context{1};
  server::App app;
  tcp::acceptor acceptor;
  asio::steady_timer pause{context};  // of Accept, after an error
  std::string url;
  std::promise<Result<void>> loading;
  std::shared_future<Result<void>> loaded = loading.get_future().share();
  std::thread loader, io;
};

Server::Impl::~Impl() {
  context.stop();
  if (io.joinable()) io.join();
  if (loader.joinable()) loader.join();
}

void Server::Impl::Accept() {
  acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
    OnAccept(error, std::move(socket));
  });
}

// Accepting goes on before the connection begins, which may throw. A connection that was accepted
// as the port closed is answered like the others.
void Server::Impl::OnAccept(boost::system::error_code error, tcp::socket socket) {
  if (error && error != asio::error::connection_aborted) return AcceptLater();
  if (acceptor.is_open()) Accept();
  if (error) return;
  const bool full = table.size() >= app.options().limits.connections;
  if (!full || table.CloseLongestIdle()) Begin(std::move(socket));
}

// Out of descriptors or memory: asking again at once would take the whole core.
void Server::Impl::AcceptLater() {
  if (!acceptor.is_open()) return;
  table.CloseLongestIdle();
  pause.expires_after(kAcceptPause);
  pause.async_wait([this](boost::system::error_code) {
    if (acceptor.is_open()) Accept();
  });
}

void Server::Impl::Begin(tcp::socket socket) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const tcp::endpoint peer = socket.remote_endpoint(ignored);
  server::StartConnection(std::move(socket), peer.address().to_string(), app, table);
}

// Who is connected already is told to come back; closing the port would reset those connections.
void Server::Impl::StopAccepting() {
  boost::system::error_code error;
  acceptor.non_blocking(true, error);
  for (int i = 0; i < kBacklog && !error; ++i) {
    tcp::socket socket(context);
    acceptor.accept(socket, error);
    if (!error) Begin(std::move(socket));
  }
  acceptor.close(error);
  table.CloseIdle();
}

// What one connection throws, out of memory say, must not end the others.
void Server::Impl::Serve() {
  while (true) {
    try {
      context.run();
      return;
    } catch (const std::exception& fault) {
      app.log().Write(LogLevel::kError, Log::Begin(LogLevel::kError, fault.what()));
    }
  }
}

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  DIKAST_TRY(const tcp::endpoint endpoint, Resolve(options));
  DIKAST_CHECK_OK(CheckExposure(options, endpoint));
  DIKAST_TRY(const LogLevel level, ParseLogLevel(options.log_level));
  DIKAST_TRY(std::unique_ptr<Log> log, Log::Open(level, options.log_file));
  auto impl = std::make_unique<Impl>(options, endpoint, std::move(log));
  DIKAST_CHECK_OK(impl->app.LoadKeys());
  MakeRoomForConnections(options.limits.connections, impl->app.log());
  DIKAST_CHECK_OK(Open(impl->acceptor, endpoint));
  impl->url = UrlOf(impl->acceptor.local_endpoint());
  impl->Accept();
  Impl& self = *impl;
  impl->io = std::thread([&self] { self.Serve(); });
  impl->loader = std::thread([&self, moved = !options.redirect_to.empty()] {
    self.loading.set_value(moved ? Result<void>() : self.app.Load());
  });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const std::string& Server::url() const { return impl_->url; }

Result<void> Server::WaitUntilReady() { return impl_->loaded.get(); }

uint64_t Server::Drain() {
  using Clock = std::chrono::steady_clock;
  impl_->app.BeginDrain();
  const auto limit = Clock::now() + std::chrono::milliseconds(impl_->app.options().limits.drain_ms);
  // Posted from within, the end comes after what was accepted before the port closed.
  const auto stopped = std::make_shared<std::promise<void>>();
  asio::post(impl_->context, [this, stopped] {
    impl_->StopAccepting();
    asio::post(impl_->context, [stopped] { stopped->set_value(); });
  });
  stopped->get_future().wait_until(limit);
  const auto busy = [this] { return impl_->app.calls() > 0 || impl_->table.size() > 0; };
  while (busy() && Clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return impl_->app.calls();
}

Result<void> Server::ReloadKeys() { return impl_->app.LoadKeys(); }

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

}  // namespace dikast
