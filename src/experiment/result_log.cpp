#include "experiment/result_log.hpp"

#include "base/crc64.hpp"

#include <adacvar/base/error.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace adacvar {

namespace {

using nlohmann::json;

// Returns the double whose shortest text parses to the same float.
double shortest_double(float value) {
  const std::string text = fmt::format("{}", value);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

json to_json(const PartScore& score) {
  return json::array({shortest_double(score.mean), shortest_double(score.cvar),
                      shortest_double(score.accuracy), shortest_double(score.precision)});
}

json to_json(const Reading& reading) {
  return {{"epoch", reading.epoch},
          {"train", to_json(reading.train)},
          {"valid", to_json(reading.valid)},
          {"test", to_json(reading.test)}};
}

PartScore score_from(const json& from) {
  return {from.at(0).get<float>(), from.at(1).get<float>(), from.at(2).get<float>(),
          from.at(3).get<float>()};
}

Reading reading_from(const json& from) {
  return {.epoch = from.at("epoch").get<std::uint64_t>(),
          .train = score_from(from.at("train")),
          .valid = score_from(from.at("valid")),
          .test = score_from(from.at("test"))};
}

TrialResult result_from(const json& from) {
  TrialResult result;
  result.seconds = from.at("seconds").get<float>();
  result.diverged = from.value("diverged", false);
  if (result.diverged) return result;
  result.last = reading_from(from.at("last"));
  result.early = from.contains("early") ? reading_from(from.at("early")) : result.last;
  if (from.contains("bound")) result.bound = from.at("bound").get<float>();
  if (from.contains("gradients")) {
    const json& norms = from.at("gradients");
    result.gradients = GradientNorms{norms.at(0).get<float>(), norms.at(1).get<float>(),
                                     norms.at(2).get<float>(), norms.at(3).get<float>()};
    result.goal_epoch = from.at("goal_epoch").get<std::uint64_t>();
  }
  return result;
}

json to_json(const TrialKey& key, const TrialResult& result) {
  json line = {{"set", key.set},
               {"seed", key.seed},
               {"algorithm", key.contestant},
               {"config", key.config},
               {"seconds", shortest_double(result.seconds)}};
  if (result.diverged) {
    line["diverged"] = true;
    return line;
  }
  line["last"] = to_json(result.last);
  if (result.early != result.last) line["early"] = to_json(result.early);
  if (result.bound) line["bound"] = shortest_double(*result.bound);
  if (const auto& norms = result.gradients) {
    line["gradients"] = {shortest_double(norms->mean), shortest_double(norms->median),
                         shortest_double(norms->p99), shortest_double(norms->zeros)};
    line["goal_epoch"] = result.goal_epoch;
  }
  return line;
}

/// The line with a checksum of what else it holds.
std::string checked_line(json line) {
  line["crc64"] = crc64_text(line.dump());
  return line.dump();
}

/// Throws: json::exception if the line is not as `checked_line` made it. Earlier versions wrote
/// lines without a checksum.
json parse_line(std::string_view text) {
  json line = json::parse(text);
  if (!line.contains("crc64")) return line;
  const auto expected = line.at("crc64").get<std::string>();
  line.erase("crc64");
  if (crc64_text(line.dump()) == expected) return line;
  throw json::other_error::create(501, "its checksum does not match", nullptr);
}

/// Reads the study's text from the first line. Throws: json::exception.
std::string study_of(std::string_view line) {
  const json header = json::parse(line);
  if (header.at("format") != "adacvar results" || header.at("version") != 1) {
    throw json::other_error::create(501, "another format", nullptr);
  }
  return header.at("study").get<std::string>();
}

std::string header_of(const std::string& study) {
  return json{{"format", "adacvar results"}, {"version", 1}, {"study", study}}.dump();
}

// Length of the beginning of the first line that is the same for all studies.
constexpr std::size_t kHeaderStart = std::string_view(R"({"format":"adacvar results",)").size();

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

std::string TrialKey::text() const {
  return fmt::format("{}/{}/{}/{}", set, seed, contestant, config);
}

ResultLog::ResultLog(const std::filesystem::path& path, const std::string& study) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw OptionError(fmt::format("{} is not a regular file", path.string()));
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw OptionError(fmt::format("cannot write {}: {}", path.string(), reason()));
  try {
    lock();
    read(study);
    if (std::filesystem::file_size(path) == 0) append(header_of(study));
  } catch (...) {
    ::close(file_);
    throw;
  }
}

// The system releases the lock when the program ends.
void ResultLog::lock() const {
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  throw OptionError(fmt::format("{} is in use by another program", path_.string()));
}

ResultLog::~ResultLog() {
  if (file_ >= 0) ::close(file_);
}

void ResultLog::read(const std::string& study) {
  std::ifstream in(path_, std::ios::binary);
  if (!in) return;  // not there yet; opening it for writing reports other errors
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole == 0 && !header_of(study).starts_with(text.substr(0, kHeaderStart))) {
    throw DataError("is not a log of results", path_.string());
  }
  std::uint64_t number = 0;
  std::string found;
  for (std::size_t begin = 0; begin < whole;) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    try {
      if (++number == 1) {
        found = study_of(line);
      } else {
        read_line(line);
      }
    } catch (const json::exception&) {
      throw DataError("is not a line of a log of results", path_.string(), number);
    }
  }
  if (whole < text.size()) std::filesystem::resize_file(path_, whole);
  if (found == study) return;
  if (!results_.empty()) {
    throw DataError(fmt::format("the results in this folder belong to '{}', not to '{}'; choose "
                                "another folder with --out, or remove them",
                                found, study),
                    path_.string(), 1);
  }
  std::filesystem::resize_file(path_, 0);  // it has no results yet
  fingerprints_.clear();
}

void ResultLog::read_line(std::string_view line) {
  const json from = parse_line(line);
  if (from.contains("fingerprint")) {
    fingerprints_[from.at("set").get<std::string>()] = from.at("fingerprint").get<std::string>();
    return;
  }
  const TrialKey key{.set = from.at("set").get<std::string>(),
                     .seed = from.at("seed").get<std::uint64_t>(),
                     .contestant = from.at("algorithm").get<std::string>(),
                     .config = from.at("config").get<std::uint64_t>()};
  results_[key.text()] = result_from(from);
}

void ResultLog::check_data(const std::string& set, const std::string& fingerprint) {
  const std::scoped_lock lock(mutex_);
  const auto [place, is_new] = fingerprints_.emplace(set, fingerprint);
  if (is_new) {
    append(checked_line({{"set", set}, {"fingerprint", fingerprint}}));
  } else if (place->second != fingerprint) {
    throw DataError(fmt::format("the results in this folder belong to other data named {} "
                                "(fingerprint {}, now {}); choose another folder with --out, or "
                                "remove them",
                                set, place->second, fingerprint),
                    path_.string());
  }
}

const TrialResult* ResultLog::find(const TrialKey& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = results_.find(key.text());
  return found == results_.end() ? nullptr : &found->second;
}

void ResultLog::add(const TrialKey& key, const TrialResult& result) {
  const std::string line = checked_line(to_json(key, result));
  const std::scoped_lock lock(mutex_);
  append(line);
  results_[key.text()] = result;
}

// One call per line, so that a killed program does not leave a partial line. Nor does a full disk,
// where other runs may still end and append theirs.
void ResultLog::append(const std::string& line) {
  const std::string text = line + "\n";
  const off_t before = ::lseek(file_, 0, SEEK_END);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const std::string why = reason();
      if (::ftruncate(file_, before) != 0) ::close(std::exchange(file_, -1));
      throw OptionError(fmt::format("cannot write {}: {}", path_.string(), why));
    }
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace adacvar
