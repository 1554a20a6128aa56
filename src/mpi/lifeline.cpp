#include "mpi/lifeline.hpp"

#include "mpi/sockets.hpp"

#include <fmt/core.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

namespace adacvar {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

enum Kind : char { kHello = 'h', kBeat = 'b', kFailed = 'f', kAbort = 'a', kLeaving = 'l' };

/// How other ranks reach rank 0. The token keeps strangers out.
struct Invitation {
  std::string token;
  std::uint16_t port = 0;
  std::string host;
  std::vector<std::string> addresses;
};

std::string text_of(const Invitation& invitation) {
  std::string text =
      fmt::format("{}\n{}\n{}\n", invitation.token, invitation.port, invitation.host);
  for (const std::string& address : invitation.addresses) text += address + "\n";
  return text;
}

Invitation read_invitation(const std::string& text) {
  Invitation invitation;
  std::istringstream lines(text);
  std::string port;
  std::getline(lines, invitation.token);
  std::getline(lines, port);
  std::getline(lines, invitation.host);
  invitation.port = static_cast<std::uint16_t>(std::stoul(port));
  for (std::string address; std::getline(lines, address);) {
    invitation.addresses.push_back(address);
  }
  return invitation;
}

std::string random_token() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

std::string text_of(const JobFailure& failure) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", failure.rank, failure.is_lost ? 1 : 0, failure.code,
                     failure.host, failure.message);
}

JobFailure read_failure(const std::string& text) {
  JobFailure failure;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  failure.rank = std::stoul(line);
  std::getline(lines, line);
  failure.is_lost = line == "1";
  std::getline(lines, line);
  failure.code = std::stoi(line);
  std::getline(lines, failure.host);
  std::getline(lines, failure.message, '\0');
  return failure;
}

/// A connection to another rank.
struct Peer {
  Socket socket;
  std::size_t rank = 0;
  std::string host;
  std::string in;
  std::string out;
  Clock::time_point heard;
  bool is_leaving = false;
};

/// Reads the first message of a connection; its text is empty if it does not come in time.
std::string read_hello(const Socket& socket, Clock::time_point until, std::string& in) {
  while (Clock::now() < until) {
    const bool is_open = receive(socket, in);
    if (const auto message = take_message(in)) {
      return message->kind == kHello ? message->text : std::string();
    }
    if (!is_open) return {};
    std::this_thread::sleep_for(milliseconds(1));
  }
  return {};
}

std::vector<Peer> accept_peers(const Socket& listener, std::size_t size, const std::string& token,
                               milliseconds start) {
  const Clock::time_point until = Clock::now() + start;
  std::vector<Peer> peers;
  std::vector<bool> is_here(size, false);
  while (peers.size() + 1 < size && Clock::now() < until) {
    Peer peer;
    peer.socket = accept_from(
        listener, std::chrono::duration_cast<milliseconds>(until - Clock::now()) + milliseconds(1));
    if (!peer.socket.is_open()) continue;
    const Clock::time_point patience = std::min(until, Clock::now() + milliseconds(2000));
    std::istringstream words(read_hello(peer.socket, patience, peer.in));
    std::string given;
    if (!(words >> given >> peer.rank >> peer.host) || given != token || peer.rank == 0 ||
        peer.rank >= size || is_here[peer.rank]) {
      continue;
    }
    is_here[peer.rank] = true;
    append_message(peer.out, kHello, token);
    (void)send(peer.socket, peer.out);  // an error shows once the thread begins
    peers.push_back(std::move(peer));
  }
  if (peers.size() + 1 == size) return peers;
  const auto missing = std::find(is_here.begin() + 1, is_here.end(), false) - is_here.begin();
  throw CommunicationError(fmt::format("rank {} did not reach rank 0 on {} within {:g} s", missing,
                                       host_name(), static_cast<double>(start.count()) / 1000));
}

Peer connect_to_root(const Invitation& root, std::size_t rank, milliseconds start) {
  const Clock::time_point until = Clock::now() + start;
  while (Clock::now() < until) {
    for (const std::string& address : root.addresses) {
      Peer peer;
      peer.socket = connect_to({address, root.port}, milliseconds(2000));
      if (!peer.socket.is_open()) continue;
      peer.host = root.host;
      append_message(peer.out, kHello, fmt::format("{} {} {}", root.token, rank, host_name()));
      // A stranger at the same address of another network does not know the token.
      if (send(peer.socket, peer.out) &&
          read_hello(peer.socket, Clock::now() + milliseconds(5000), peer.in) == root.token) {
        return peer;
      }
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
  throw CommunicationError(fmt::format("rank {} on {} cannot reach rank 0 on {}, port {}", rank,
                                       host_name(), root.host, root.port));
}

}  // namespace

std::size_t speaker_of(const JobFailure& failure) noexcept {
  return failure.rank == 0 && failure.is_lost ? 1 : 0;
}

class Lifeline::Thread {
 public:
  Thread(std::size_t rank, JobOptions options, std::vector<Peer> peers)
      : rank_(rank),
        options_(std::move(options)),
        peers_(std::move(peers)),
        wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        thread_([this] { loop(); }) {}
  ~Thread() {
    quit_ = true;
    wake();
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  const std::string host = host_name();

  void check() {
    if (!has_failed_) return;
    const std::scoped_lock lock(mutex_);
    is_noticed_ = true;
    throw CommunicationError(
        fmt::format("rank {} on {}: {}", failure_->rank, failure_->host, failure_->message));
  }

  JobFailure fail(int code, const std::string& message) {
    std::unique_lock lock(mutex_);
    is_noticed_ = true;
    if (!report_) report_ = JobFailure{rank_, host, false, code, message};
    wake();
    changed_.wait_for(lock, milliseconds(1000), [&] { return failure_ && is_told_; });
    const JobFailure first = failure_ ? *failure_ : *report_;
    // The end of one process may end the others: the rank that prints the error ends first.
    if (rank_ != speaker_of(first)) {
      changed_.wait_for(lock, options_.grace + milliseconds(1000),
                        [&] { return is_speaker_gone_; });
    }
    return first;
  }

  void leave() {
    is_leaving_ = true;
    wake();
  }

 private:
  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_.descriptor(), &one, sizeof one);
  }

  void loop() {
    Clock::time_point last = Clock::now();
    Clock::time_point next_beat = last;
    for (Peer& peer : peers_) peer.heard = last;
    while (!quit_) {
      const Clock::time_point now = Clock::now();
      // If this process was stopped itself, the others have had no chance to be heard; and it may
      // have been woken only to be ended.
      if (now - last > options_.beat + options_.silence / 4) {
        std::this_thread::sleep_for(options_.grace);
        for (Peer& peer : peers_) peer.heard = Clock::now();
      }
      last = now;
      take_report();
      say_leaving();
      if (now >= next_beat) {
        beat();
        next_beat = now + options_.beat;
      }
      find_silent(now);
      tell();
      end_overdue(now);
      wait();
    }
  }

  void beat() {
    for (Peer& peer : peers_) {
      if (peer.socket.is_open() && peer.out.empty()) append_message(peer.out, kBeat);
    }
  }

  // What this rank reports goes to rank 0, which knows what was first.
  void take_report() {
    const std::scoped_lock lock(mutex_);
    if (!report_ || is_reported_) return;
    is_reported_ = true;
    if (rank_ == 0) {
      set_failure(*report_);
    } else {
      append_message(peers_[0].out, kFailed, text_of(*report_));
    }
  }

  void say_leaving() {
    if (!is_leaving_ || has_said_leaving_) return;
    has_said_leaving_ = true;
    for (Peer& peer : peers_) append_message(peer.out, kLeaving);
  }

  // The lock is held.
  void set_failure(JobFailure failure) {
    if (failure_) return;
    failure_ = std::move(failure);
    failed_at_ = Clock::now();
    has_failed_ = true;
    if (rank_ == 0) {
      for (Peer& peer : peers_) append_message(peer.out, kAbort, text_of(*failure_));
    }
  }

  void lose(Peer& peer, const std::string& why) {
    peer.socket = Socket();
    if (peer.is_leaving || is_leaving_) return;
    const std::scoped_lock lock(mutex_);
    if (failure_ && peer.rank == speaker_of(*failure_)) {
      is_speaker_gone_ = true;
      changed_.notify_all();
    }
    set_failure({peer.rank, peer.host, true, options_.lost_code, why});
  }

  void find_silent(Clock::time_point now) {
    for (Peer& peer : peers_) {
      if (!peer.socket.is_open() || now - peer.heard <= options_.silence) continue;
      lose(peer, fmt::format("has not answered for {:g} s: is it stopped, or its host gone?",
                             static_cast<double>(options_.silence.count()) / 1000));
    }
  }

  // Sends what is waiting; the failure is told when all has been sent.
  void tell() {
    bool is_all_sent = true;
    for (Peer& peer : peers_) {
      if (!peer.socket.is_open()) continue;
      if (!send(peer.socket, peer.out)) lose(peer, "ended unexpectedly: was it killed?");
      is_all_sent = is_all_sent && (!peer.socket.is_open() || peer.out.empty());
    }
    const std::scoped_lock lock(mutex_);
    if (!failure_ || is_told_ || !is_all_sent) return;
    is_told_ = true;
    changed_.notify_all();
  }

  void end_overdue(Clock::time_point now) {
    JobFailure failure;
    {
      const std::scoped_lock lock(mutex_);
      if (!failure_) return;
      const int patience = is_noticed_ ? 3 : rank_ == speaker_of(*failure_) ? 1 : 2;
      if (now - failed_at_ < options_.grace * patience) return;
      failure = *failure_;
    }
    if (options_.overdue) options_.overdue(failure);
  }

  void wait() {
    std::vector<pollfd> wanted{{.fd = wake_.descriptor(), .events = POLLIN, .revents = 0}};
    for (const Peer& peer : peers_) {  // poll ignores descriptors below 0
      wanted.push_back({.fd = peer.socket.descriptor(), .events = POLLIN, .revents = 0});
    }
    poll(wanted.data(), wanted.size(), static_cast<int>(options_.beat.count() / 4));
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto count = read(wake_.descriptor(), &ignored, sizeof ignored);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (wanted[i + 1].revents != 0) hear(peers_[i]);
    }
  }

  void hear(Peer& peer) {
    const bool is_open = receive(peer.socket, peer.in);
    peer.heard = Clock::now();
    while (const auto message = take_message(peer.in)) take(peer, *message);
    if (!is_open) lose(peer, "ended unexpectedly: was it killed?");
  }

  void take(Peer& peer, const Message& message) {
    if (message.kind == kLeaving) peer.is_leaving = true;
    if (message.kind != kFailed && message.kind != kAbort) return;
    const std::scoped_lock lock(mutex_);
    set_failure(read_failure(message.text));
  }

  const std::size_t rank_;
  const JobOptions options_;
  std::vector<Peer> peers_;
  Socket wake_;
  std::atomic<bool> quit_ = false;
  std::atomic<bool> is_leaving_ = false;
  std::atomic<bool> has_failed_ = false;
  bool has_said_leaving_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<JobFailure> failure_;  // the first of the job
  std::optional<JobFailure> report_;   // of this rank
  Clock::time_point failed_at_;
  bool is_reported_ = false;
  bool is_told_ = false;
  bool is_noticed_ = false;
  bool is_speaker_gone_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

Lifeline::Lifeline(std::size_t rank, std::size_t size, JobOptions options,
                   const std::function<std::string(std::string)>& share) {
  std::vector<Peer> peers;
  if (size > 1 && rank == 0) {
    Invitation invitation{random_token(), 0, host_name(), own_addresses()};
    const Socket listener = listen_anywhere(invitation.port);
    (void)share(text_of(invitation));
    peers = accept_peers(listener, size, invitation.token, options.start);
  } else if (size > 1) {
    peers.push_back(connect_to_root(read_invitation(share({})), rank, options.start));
  }
  thread_ = std::make_unique<Thread>(rank, std::move(options), std::move(peers));
}

Lifeline::~Lifeline() = default;

const std::string& Lifeline::host() const noexcept { return thread_->host; }

void Lifeline::check() { thread_->check(); }

JobFailure Lifeline::fail(int code, const std::string& message) {
  return thread_->fail(code, message);
}

void Lifeline::leave() { thread_->leave(); }

}  // namespace adacvar
