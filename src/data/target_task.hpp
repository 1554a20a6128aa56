#pragma once

#include "data/read_data.hpp"
#include "data/table.hpp"

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/index.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/data/dataset.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace adacvar {

// With ranks, `data` and rows are those of this rank, and what is found refers to the rows of all.

/// Returns 0, 1, ..., rows - 1.
[[nodiscard]] std::vector<Index> all_rows(std::size_t rows);

/// Returns the rows that have a weight above 0.
[[nodiscard]] std::vector<Index> weighted_rows(const RawData& data, const std::string& weight,
                                               std::span<const Index> rows);

/// Returns the rows that have a weight above 0 and a target; text among numbers counts as a target.
[[nodiscard]] std::vector<Index> labelled_rows(const RawData& data, const std::string& target,
                                               const std::string& weight);

/// Returns the target as numbers if it has text among them, but not in the training rows.
[[nodiscard]] std::optional<Column> numeric_in_training(const RawData& data,
                                                        const std::string& name,
                                                        std::span<const Index> training_rows,
                                                        Communicator& ranks);

/// Distinct values that are not missing, in order, at most `most` + 1.
class DistinctValues {
 public:
  explicit DistinctValues(std::size_t most) : most_(most) {}
  void add(double value) {
    if (has_more() || std::isnan(value)) return;
    const auto place = std::ranges::lower_bound(values_, value);
    if (place == values_.end() || *place != value) values_.insert(place, value);
  }
  [[nodiscard]] bool has_more() const noexcept { return values_.size() > most_; }
  /// Returns those of all ranks.
  [[nodiscard]] std::vector<double> on(Communicator& ranks) &&;

 private:
  std::size_t most_;
  std::vector<double> values_;
};

/// Returns whether `rows` have two distinct values, not counting missing ones.
template <class Numbers>
[[nodiscard]] bool has_two_values(const Numbers& values, std::span<const Index> rows,
                                  Communicator& ranks) {
  DistinctValues distinct(2);
  for (const Index row : rows) {
    if (distinct.has_more()) break;
    distinct.add(values[row]);
  }
  return std::move(distinct).on(ranks).size() == 2;
}

/// As classes_of; `rows` determine whether numbers are classes. Missing values get a class of their
/// own, which is not used.
[[nodiscard]] std::vector<std::uint32_t> classes_among(const RawData& data,
                                                       const std::string& target, TaskChoice task,
                                                       std::span<const Index> rows,
                                                       Communicator& ranks);

/// Returns the task, or none to let the preprocessor detect it. All rows determine whether numbers
/// are classes: the training rows of a small table may have only two values.
[[nodiscard]] std::optional<Task> chosen_task(const RawData& data, const std::string& target,
                                              const std::string& weight, TaskChoice choice,
                                              std::span<const Index> training_rows,
                                              Communicator& ranks);

/// Returns a note on a target of few whole values that is learned as a number; empty if there is
/// nothing to note.
[[nodiscard]] std::string whole_values_note(const RawData& data, const std::string& target,
                                            TaskChoice task, Communicator& ranks);

}  // namespace adacvar
