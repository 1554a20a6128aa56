#include "fuzz/fuzz_targets.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/run/model.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "data/file_bytes.hpp"
#include "data/parse_idx.hpp"
#include "data/read_table.hpp"
#include "learner/tree_model_json.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace adacvar::fuzz {

namespace {

// The first byte chooses the options, the rest is the file.
void read_csv_text(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  ReadOptions options;
  options.threads = 1 + (choice & 1U);
  if ((choice & 2U) != 0) options.header = (choice & 4U) != 0;
  if ((choice & 8U) != 0) options.decimal = DecimalChoice::comma;
  if ((choice & 16U) != 0) options.separator = ' ';
  if ((choice & 32U) != 0) options.verbatim = {"a"};
  if ((choice & 64U) != 0) options.categorical = {"a"};
  (void)parse_csv(bytes.substr(1), "data.csv", options);
}

void read_libsvm_text(std::string_view bytes) { (void)parse_libsvm(bytes, "data.libsvm", 1); }
void read_npy_bytes(std::string_view bytes) { (void)parse_npy(bytes, "data.npy"); }
void read_idx_bytes(std::string_view bytes) { (void)parse_idx_images(bytes, "images.idx"); }
void read_cifar_bytes(std::string_view bytes) { (void)parse_cifar(bytes, "batch.bin"); }

std::filesystem::path file_of(std::string_view bytes, const char* name) {
  static const support::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

void unpack(std::string_view bytes) { (void)FileBytes(file_of(bytes, "packed")); }

void read_model(std::string_view bytes) {
  const Model model = Model::from_text(bytes, "model.json");
  (void)Model::from_text(model.to_text());
  const std::size_t columns = std::max<std::size_t>(1, model.columns().size());
  if (columns > 1000) return;
  const std::vector<double> rows(2 * columns, 0.5);
  (void)model.scores({rows, 2, columns});
}

void read_trees(std::string_view bytes) {
  const TreeModel model = from_xgboost_json(bytes, 1.0);
  (void)to_xgboost_json(model, LossKind::squared);
}

void read_config(std::string_view bytes) {
  const std::vector<cli::Command> commands = cli::make_commands();
  const auto train = std::ranges::find(commands, "train", &cli::Command::name);
  (void)cli::apply_config(file_of(bytes, "run.toml").string(), *train, commands, {});
}

// States have checksums, which a mutation would break at the door: here every block of the state
// gets the right one, so that its values are read.
std::string with_checksums(std::string_view bytes) {
  constexpr std::size_t kHeader = 20;
  constexpr std::size_t kSum = 4;
  std::string state(bytes);
  for (std::size_t start = 0; state.size() - start >= kHeader + kSum;) {
    std::uint64_t length = 0;
    std::memcpy(&length, state.data() + start + 12, sizeof(length));
    if (length > state.size() - start - kHeader - kSum) break;
    const auto end = start + kHeader + static_cast<std::size_t>(length);
    const auto sum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(state.data() + start), end - start));
    std::memcpy(state.data() + end, &sum, sizeof(sum));
    start = end + kSum;
  }
  return state;
}

void load_sampler(std::string_view bytes) {
  std::istringstream in(with_checksums(bytes));
  AdaptiveSampler sampler = AdaptiveSampler::load(in);
  Rng rng(1);
  std::array<Index, 4> batch{};
  sampler.draw(rng, batch);
  sampler.observe(batch, std::array{0.0, 0.5, 1.0, 2.0});
  sampler.draw(rng, batch);
}

void resume(std::string_view bytes) {
  train_small(resumed_run(file_of(with_checksums(bytes), "checkpoint")));
}

constexpr std::array kTargets{
    Target{"csv", read_csv_text},     Target{"libsvm", read_libsvm_text},
    Target{"npy", read_npy_bytes},    Target{"idx", read_idx_bytes},
    Target{"cifar", read_cifar_bytes}, Target{"packed", unpack},
    Target{"model", read_model},      Target{"trees", read_trees},
    Target{"config", read_config},    Target{"sampler", load_sampler},
    Target{"checkpoint", resume},
};

}  // namespace

TrainHooks resumed_run(const std::filesystem::path& checkpoint) {
  TrainHooks hooks;
  hooks.run_identity = "fuzz";
  hooks.checkpoint = checkpoint;
  return hooks;
}

void train_small(const TrainHooks& hooks) {
  Rng rng(1);
  const Dataset data = support::random_data(Task::regression, {.rows = 40, .features = 2}, rng);
  TrainOptions options;
  options.epochs = 2;
  (void)train(data, nullptr, Loss(LossKind::squared), options, hooks);
}

std::span<const Target> targets() { return kTargets; }

void run_target(std::string_view name, std::string_view bytes) {
  const auto target = std::ranges::find(kTargets, name, &Target::name);
  if (target == kTargets.end()) throw std::logic_error("no such target");
  try {
    target->run(bytes);
  } catch (const OptionError&) {
  } catch (const DataError&) {
  } catch (const NumericalError&) {
  }
}

}  // namespace adacvar::fuzz
