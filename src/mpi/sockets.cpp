#include "mpi/sockets.hpp"

#include <adacvar/base/communicator.hpp>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace adacvar {

namespace {

bool is_ready(int descriptor, short events, std::chrono::milliseconds within) {
  pollfd wanted{.fd = descriptor, .events = events, .revents = 0};
  const auto until = std::chrono::steady_clock::now() + within;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    const int found = poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

using Infos = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Infos resolve(const Address& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found) != 0) found = nullptr;
  return {found, &freeaddrinfo};
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

Socket listen_anywhere(std::uint16_t& port) {
  // IPv6 sockets take IPv4 too; where there is no IPv6, IPv4 alone.
  for (const int family : {AF_INET6, AF_INET}) {
    Socket socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) continue;
    const int no = 0;
    sockaddr_storage any{};
    any.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET6) {
      setsockopt(socket.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    }
    socklen_t length = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    auto* const place = reinterpret_cast<sockaddr*>(&any);  // as the interface of sockets wants it
    if (bind(socket.descriptor(), place, length) != 0 ||
        listen(socket.descriptor(), SOMAXCONN) != 0 ||
        getsockname(socket.descriptor(), place, &length) != 0) {
      continue;
    }
    // The port is at the same place for both families.
    port = ntohs(reinterpret_cast<const sockaddr_in*>(&any)->sin_port);
    return socket;
  }
  throw CommunicationError(std::string("no port to listen on: ") + std::strerror(errno));
}

std::vector<std::string> own_addresses() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {"127.0.0.1"};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, &freeifaddrs);
  std::vector<std::string> addresses;
  std::vector<std::string> loopback;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(one->ifa_addr, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) !=
        0) {
      continue;
    }
    const std::string address = text.data();
    if (address.find('%') != std::string::npos) continue;  // of one link only
    ((one->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : addresses).push_back(address);
  }
  addresses.insert(addresses.end(), loopback.begin(), loopback.end());
  return addresses;
}

Socket connect_to(const Address& address, std::chrono::milliseconds within) {
  const Infos infos = resolve(address);
  if (!infos) return {};
  Socket socket(
      ::socket(infos->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, infos->ai_protocol));
  if (!socket.is_open()) return {};
  if (connect(socket.descriptor(), infos->ai_addr, infos->ai_addrlen) != 0) {
    int error = 0;
    socklen_t length = sizeof error;
    if (errno != EINPROGRESS || !is_ready(socket.descriptor(), POLLOUT, within) ||
        getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
      return {};
    }
  }
  const int yes = 1;
  setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return socket;
}

Socket accept_from(const Socket& listener, std::chrono::milliseconds within) {
  if (!is_ready(listener.descriptor(), POLLIN, within)) return {};
  return Socket(accept4(listener.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

bool receive(const Socket& socket, std::string& text) {
  std::array<char, 4096> some{};
  for (;;) {
    const ssize_t count = recv(socket.descriptor(), some.data(), some.size(), 0);
    if (count > 0) {
      text.append(some.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
}

bool send(const Socket& socket, std::string& text) {
  while (!text.empty()) {
    const ssize_t count = ::send(socket.descriptor(), text.data(), text.size(), MSG_NOSIGNAL);
    if (count > 0) {
      text.erase(0, static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

void append_message(std::string& out, char kind, std::string_view text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  std::array<char, sizeof length> bytes{};
  std::memcpy(bytes.data(), &length, sizeof length);
  out += kind;
  out.append(bytes.data(), bytes.size());
  out += text;
}

std::optional<Message> take_message(std::string& in) {
  std::uint32_t length = 0;
  constexpr std::size_t kHead = 1 + sizeof length;
  if (in.size() < kHead) return std::nullopt;
  std::memcpy(&length, in.data() + 1, sizeof length);
  if (in.size() < kHead + length) return std::nullopt;
  Message message{in[0], in.substr(kHead, length)};
  in.erase(0, kHead + length);
  return message;
}

}  // namespace adacvar
