#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adacvar {

/// A file descriptor that is closed with its owner.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// An address of this machine or another: numeric, with a port.
struct Address {
  std::string host;
  std::uint16_t port = 0;
};

[[nodiscard]] std::string host_name();

/// Listens on all interfaces, at a port that is free. Throws: CommunicationError.
[[nodiscard]] Socket listen_anywhere(std::uint16_t& port);
/// Returns the numeric addresses of this machine, the loopback last.
[[nodiscard]] std::vector<std::string> own_addresses();
/// Returns a connection, not blocking; closed if none is made in time.
[[nodiscard]] Socket connect_to(const Address& address, std::chrono::milliseconds within);
/// Accepts a connection, not blocking; closed if none comes in time.
[[nodiscard]] Socket accept_from(const Socket& listener, std::chrono::milliseconds within);

/// Reads what has arrived; false at the end of the connection or after an error.
[[nodiscard]] bool receive(const Socket& socket, std::string& text);
/// Sends the beginning of `text` and removes it, as much as fits; false after an error.
[[nodiscard]] bool send(const Socket& socket, std::string& text);

/// A message: a letter, and a text.
struct Message {
  char kind = 0;
  std::string text;
};

void append_message(std::string& out, char kind, std::string_view text = {});
/// Removes the first message; nothing if it has not arrived completely.
[[nodiscard]] std::optional<Message> take_message(std::string& in);

}  // namespace adacvar
