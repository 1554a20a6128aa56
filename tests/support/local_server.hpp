#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace adacvar::support {

/// A TCP socket bound to a free port of 127.0.0.1. As long as it does not listen, connections to
/// that port are refused.
class BoundSocket {
 public:
  BoundSocket() : number_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    if (number_ < 0 || ::bind(number_, general, size) != 0 ||
        ::getsockname(number_, general, &size) != 0) {
      throw std::runtime_error("no socket on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
  }
  ~BoundSocket() { ::close(number_); }
  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;
  BoundSocket(BoundSocket&&) = delete;
  BoundSocket& operator=(BoundSocket&&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }

 private:
  int number_;
  std::uint16_t port_ = 0;
};

/// Returns a complete HTTP response; `length` is the length that its header claims.
inline std::string http_answer(const std::string& status, std::string_view body, std::size_t length,
                               const std::string& more_headers = {}) {
  return "HTTP/1.1 " + status +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         more_headers + "\r\n" + std::string(body);
}
inline std::string http_answer(const std::string& status, std::string_view body) {
  return http_answer(status, body, body.size());
}
inline std::string http_redirect(const std::string& to) {
  return http_answer("302 Found", "", 0, "Location: " + to + "\r\n");
}

/// Serves requests one after another on 127.0.0.1 with the bytes that `answer` returns for the
/// path; if they are empty, it stays silent until the client disconnects.
class LocalServer {
 public:
  using Answer = std::function<std::string(const std::string& path)>;

  explicit LocalServer(Answer answer) : answer_(std::move(answer)) {
    if (::listen(socket_.number(), 8) != 0) throw std::runtime_error("cannot listen");
    thread_ = std::thread([this] { serve(); });
  }
  ~LocalServer() {
    ::shutdown(socket_.number(), SHUT_RDWR);  // wakes accept
    thread_.join();
  }
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;
  LocalServer(LocalServer&&) = delete;
  LocalServer& operator=(LocalServer&&) = delete;

  [[nodiscard]] std::string url(const std::string& path) const { return socket_.url(path); }

  /// Headers of all requests so far.
  [[nodiscard]] std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (;;) {
      const int client = ::accept(socket_.number(), nullptr, nullptr);
      if (client < 0) return;
      respond(client);
      ::close(client);
    }
  }

  void respond(int client) {
    const std::string head = read_until(client, "\r\n\r\n");
    const std::size_t from = head.find(' ') + 1;
    const std::size_t to = head.find(' ', from);
    if (from == 0 || to == std::string::npos) return;
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(head);
    }
    const std::string answer = answer_(head.substr(from, to - from));
    if (answer.empty()) {
      read_until(client, "never sent");
    } else {
      send_all(client, answer);
    }
  }

  /// Reads up to and including `end`, or until the client closes.
  static std::string read_until(int client, std::string_view end) {
    std::string text;
    std::array<char, 4096> piece{};
    while (text.find(end) == std::string::npos) {
      const ssize_t size = ::recv(client, piece.data(), piece.size(), 0);
      if (size <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

  // A client that disconnects early is not an error.
  static void send_all(int client, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t size = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }

  Answer answer_;
  BoundSocket socket_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace adacvar::support
