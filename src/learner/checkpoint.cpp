#include "learner/checkpoint.hpp"

#include "base/state_stream.hpp"
#include "base/write_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>

namespace adacvar {

namespace {

constexpr std::string_view kProgressKind = "ACVRPROG";
constexpr std::string_view kObjectiveKind = "ACVROBJE";
constexpr std::string_view kLinearKind = "ACVRLINE";

void put_record(StateWriter& writer, const EpochRecord& record) {
  writer.put(record.epoch);
  writer.put(record.training_loss);
  writer.put(record.validation.has_value());
  const TailRisk risk = record.validation.value_or(TailRisk{});
  writer.put(risk.mean);
  writer.put(risk.var);
  writer.put(risk.cvar);
}

EpochRecord get_record(StateReader& reader) {
  EpochRecord record;
  record.epoch = reader.get<std::uint64_t>();
  record.training_loss = reader.get<double>();
  const bool has_validation = reader.get<bool>();
  TailRisk risk;
  risk.mean = reader.get<double>();
  risk.var = reader.get<double>();
  risk.cvar = reader.get<double>();
  if (has_validation) record.validation = risk;
  return record;
}

// FNV-1a over the weights' bits.
std::uint64_t fingerprint(std::span<const double> weights) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double weight : weights) {
    for (auto bits = std::bit_cast<std::uint64_t>(weight), byte = std::uint64_t{0}; byte < 8;
         ++byte, bits >>= 8U) {
      hash = (hash ^ (bits & 0xffU)) * 0x100000001b3U;
    }
  }
  return hash;
}

}  // namespace

std::string identity_with_weights(std::string identity, std::span<const double> training,
                                  std::span<const double> validation) {
  for (const std::span<const double> weights : {training, validation}) {
    if (!weights.empty()) identity += fmt::format(" weights {:016x}", fingerprint(weights));
  }
  return identity;
}

std::string identity_with_limit(std::string identity, const TrainOptions& options) {
  if (options.limit) {
    identity +=
        fmt::format(" {} limit {:a}{}", options.limit->of == RiskLimit::Of::mean ? "mean" : "CVaR",
                    options.limit->most, options.limit_on_validation ? " held out" : "");
  }
  return identity;
}

void save_progress(std::ostream& out, const std::string& identity, const LoopProgress& progress) {
  StateWriter writer(kProgressKind, 1);
  writer.put(static_cast<std::uint64_t>(identity.size()));
  writer.put_array(std::span<const char>(identity));
  writer.put(progress.steps);
  writer.put(static_cast<std::uint64_t>(progress.history.size()));
  for (const EpochRecord& record : progress.history) put_record(writer, record);
  writer.write_to(out);
}

LoopProgress load_progress(std::istream& in, const std::string& identity) {
  StateReader reader(in, kProgressKind, 1);
  const auto length = reader.get<std::uint64_t>();
  reader.require(length <= reader.remaining(), "a length is out of range");
  std::string written(length, '\0');
  reader.get_array(std::span<char>(written));
  if (written != identity) {
    throw DataError(
        "it belongs to a run with other data or options: remove it, or give another file");
  }
  LoopProgress progress{.steps = reader.get<std::uint64_t>(), .history = {}};
  const auto epochs = reader.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < epochs; ++i) progress.history.push_back(get_record(reader));
  reader.finish();
  return progress;
}

void save_objective(std::ostream& out, const AnyObjective& objective) {
  StateWriter writer(kObjectiveKind, 2);
  std::visit([&](const auto& o) { o.save(writer); }, objective);
  writer.write_to(out);
}

void load_objective(std::istream& in, AnyObjective& objective) {
  StateReader reader(in, kObjectiveKind, 2);
  std::visit([&](auto& o) { o.load(reader); }, objective);
  reader.finish();
}

void save_model_state(const LinearModel& model, std::ostream& out) {
  StateWriter writer(kLinearKind, 1);
  writer.put_array(model.parameters());
  writer.write_to(out);
}

void load_model_state(LinearModel& model, std::istream& in) {
  StateReader reader(in, kLinearKind, 1);
  reader.get_array(model.parameters());
  reader.finish();
}

void write_checkpoint(const std::filesystem::path& path, std::string_view bytes) {
  write_file(path, [&](const Write& write) { write(bytes); });
}

std::optional<std::istringstream> open_checkpoint(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw DataError("cannot be read", path.string());
  return std::istringstream(std::move(bytes));
}

}  // namespace adacvar
