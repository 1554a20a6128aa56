#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/tree_options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// Rows in XGBoost's memory.
class BoosterRows {
 public:
  /// Copies the features. Absent entries of sparse rows are missing values.
  BoosterRows(const Dataset& data, unsigned threads);

  [[nodiscard]] void* handle() const noexcept { return handle_.get(); }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

 private:
  std::shared_ptr<void> handle_;
  std::size_t rows_;
};

/// A model of XGBoost's that grows by one tree per output and round.
class Booster {
 public:
  struct Setup {
    TreeOptions options = {};
    std::size_t outputs = 1;
    unsigned threads = 1;
  };

  /// `valid` may be null. Both must outlive the booster.
  Booster(const Setup& setup, const BoosterRows& training, const BoosterRows* valid);

  /// Grows a round on the derivatives of the training rows, outputs per row.
  void grow(std::span<float> gradients, std::span<float> hessians);
  /// Returns the scores of rows given to the constructor, outputs per row; valid until the next
  /// call.
  [[nodiscard]] std::span<const float> scores(const BoosterRows& rows) const;

  /// Returns the model as universal binary JSON, for `load` and from_xgboost_ubjson.
  [[nodiscard]] std::string bytes() const;
  /// Throws: DataError when the bytes are not a model.
  void load(std::string_view bytes);

 private:
  std::shared_ptr<void> handle_;
  const BoosterRows& training_;
  std::size_t outputs_;
};

}  // namespace adacvar
