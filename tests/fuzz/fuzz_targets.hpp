#pragma once

#include <adacvar/learner/train.hpp>

#include <filesystem>
#include <span>
#include <string_view>

namespace adacvar::fuzz {

/// A reader of untrusted bytes. `run` may throw the library's errors for bad input and nothing
/// else; it must not crash, hang or allocate much more than the input's size.
struct Target {
  std::string_view name;  ///< also of its folder in corpus/
  void (*run)(std::string_view bytes);
};

[[nodiscard]] std::span<const Target> targets();

/// Hooks of the run that resumes from a checkpoint, and the run itself.
[[nodiscard]] TrainHooks resumed_run(const std::filesystem::path& checkpoint);
void train_small(const TrainHooks& hooks);

/// Runs the reader `name` and ignores the library's errors. Requires a known name.
void run_target(std::string_view name, std::string_view bytes);

}  // namespace adacvar::fuzz
