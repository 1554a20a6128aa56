// Writes the good states of corpus/ (sampler, checkpoint) anew, after a change of their formats:
// make_states FOLDER

#include "fuzz/fuzz_targets.hpp"

#include <adacvar/learner/train.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace {

void save_sampler(const std::filesystem::path& path, adacvar::AdaptiveSamplerOptions options,
                  std::span<const double> weights = {}) {
  adacvar::AdaptiveSampler sampler(8, options, weights);
  adacvar::Rng rng(1);
  std::array<adacvar::Index, 4> batch{};
  sampler.draw(rng, batch);
  sampler.observe(batch, std::array{0.0, 0.5, 1.0, 2.0});
  std::ofstream out(path, std::ios::binary);
  sampler.save(out);
}

struct Killed : std::runtime_error {
  Killed() : std::runtime_error("killed") {}
};

void save_checkpoint(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  adacvar::TrainHooks hooks = adacvar::fuzz::resumed_run(path);
  hooks.watch = [](const adacvar::EpochView& view) -> bool {
    if (view.record.epoch == 2) throw Killed{};
    return true;
  };
  try {
    adacvar::fuzz::train_small(hooks);
  } catch (const Killed&) {
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return EXIT_FAILURE;
  const std::filesystem::path corpus = arguments[1];
  const std::vector<double> weights{1, 2, 0.5, 1, 3, 1, 1, 7};
  save_sampler(corpus / "sampler/good_matched", {.alpha = 0.25});
  save_sampler(corpus / "sampler/good_weighted", {.alpha = 0.25}, weights);
  save_sampler(corpus / "sampler/good_exact",
               {.alpha = 0.25, .marginals = adacvar::Marginals::exact});
  save_checkpoint(corpus / "checkpoint/good_epoch_1");
}
