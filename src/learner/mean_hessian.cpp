#include "learner/mean_hessian.hpp"

#include "base/state_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

constexpr std::string_view kStateKind = "ACVRHESS";
constexpr std::uint64_t kRefreshes =
    8;  // factorisations while a memory's worth of batches is added

}  // namespace

MeanHessian::MeanHessian(std::size_t size, std::uint64_t batches_per_epoch, double ridge)
    : size_(size),
      stride_(std::max<std::uint64_t>(1, size / 64)),
      memory_(std::max(16.0, static_cast<double>(batches_per_epoch / stride_))),
      ridge_(ridge),
      sum_(size * size, 0.0),
      row_(size) {}

void MeanHessian::observe(const Dataset& data, std::span<const Index> batch,
                          std::span<const double> curvatures) {
  if (batches_++ % stride_ != 0) return;
  ++added_;
  rows_ = static_cast<double>(batch.size());
  const double share = 1.0 / std::min(static_cast<double>(added_), memory_);
  for (double& value : sum_) value *= 1.0 - share;
  for (std::size_t b = 0; b < batch.size(); ++b) {
    add_row(data, batch[b], share * curvatures[b] / static_cast<double>(batch.size()));
  }
  if (added_ < next_factor_) return;
  factorise();
  const auto pause = static_cast<std::uint64_t>(memory_) / kRefreshes;
  next_factor_ = added_ + std::clamp<std::uint64_t>(pause, 1, added_);
}

void MeanHessian::add_row(const Dataset& data, std::size_t row, double weight) {
  if (weight <= 0.0) return;
  if (data.is_sparse()) {
    const std::size_t end = data.start[row + 1];
    double* const last = sum_.data() + size_ - 1;  // the intercept's row of the matrix
    for (std::size_t a = data.start[row]; a < end; ++a) {
      double* const column = sum_.data() + data.column[a] * size_;
      const double scaled = weight * static_cast<double>(data.entry(a));
      for (std::size_t b = a; b < end; ++b) {
        column[data.column[b]] += scaled * static_cast<double>(data.entry(b));
      }
      last[data.column[a] * size_] += scaled;
    }
    sum_.back() += weight;
    return;
  }
  const float* values = data.dense.data() + row * data.features;
  for (std::size_t f = 0; f + 1 < size_; ++f) row_[f] = static_cast<double>(values[f]);
  row_.back() = 1.0;
  for (std::size_t j = 0; j < size_; ++j) {
    double* const column = sum_.data() + j * size_;
    const double scaled = weight * row_[j];
    for (std::size_t i = j; i < size_; ++i) column[i] += scaled * row_[i];
  }
}

// Right-looking, so that the inner loop has no sum whose order could depend on the processor.
void MeanHessian::factorise() {
  double largest = 0.0;
  for (std::size_t j = 0; j < size_; ++j) largest = std::max(largest, sum_[j * size_ + j]);
  if (!(largest > 0.0 && largest < std::numeric_limits<double>::max())) return;
  std::vector<double> next = sum_;
  const double damping = largest / (std::min(static_cast<double>(added_), memory_) * rows_ *
                                    static_cast<double>(stride_));
  for (std::size_t j = 0; j < size_; ++j) {
    next[j * size_ + j] += damping + (j + 1 < size_ ? ridge_ : 0.0);
  }
  for (std::size_t j = 0; j < size_; ++j) {
    double* const column = next.data() + j * size_;
    if (!(column[j] > 0.0)) return;  // rounding: keep the last factor
    const double root = std::sqrt(column[j]);
    for (std::size_t i = j; i < size_; ++i) column[i] /= root;
    for (std::size_t k = j + 1; k < size_; ++k) {
      if (column[k] == 0.0) continue;
      double* const other = next.data() + k * size_;
      for (std::size_t i = k; i < size_; ++i) other[i] -= column[k] * column[i];
    }
  }
  factor_ = std::move(next);
}

void MeanHessian::solve(std::span<double> gradient) const {
  if (factor_.empty()) return;
  for (std::size_t start = 0; start < gradient.size(); start += size_) {
    const std::span<double> x = gradient.subspan(start, size_);
    for (std::size_t j = 0; j < size_; ++j) {
      const double* const column = factor_.data() + j * size_;
      x[j] /= column[j];
      for (std::size_t i = j + 1; i < size_; ++i) x[i] -= column[i] * x[j];
    }
    for (std::size_t j = size_; j-- > 0;) {
      const double* const column = factor_.data() + j * size_;
      double left = x[j];
      for (std::size_t i = j + 1; i < size_; ++i) left -= column[i] * x[i];
      x[j] = left / column[j];
    }
  }
}

void MeanHessian::save(std::ostream& out) const {
  StateWriter writer(kStateKind, 1);
  writer.put(batches_);
  writer.put(added_);
  writer.put(next_factor_);
  writer.put_array(std::span<const double>(sum_));
  writer.put(!factor_.empty());
  writer.put_array(std::span<const double>(factor_));
  writer.write_to(out);
}

void MeanHessian::load(std::istream& in) {
  StateReader reader(in, kStateKind, 1);
  batches_ = reader.get<std::uint64_t>();
  added_ = reader.get<std::uint64_t>();
  next_factor_ = reader.get<std::uint64_t>();
  reader.get_array(std::span(sum_));
  factor_.assign(reader.get<bool>() ? sum_.size() : 0, 0.0);
  reader.get_array(std::span(factor_));
  const auto is_finite = [](double value) { return std::isfinite(value); };
  reader.require(std::ranges::all_of(sum_, is_finite) && std::ranges::all_of(factor_, is_finite),
                 "its curvature is not finite");
  reader.finish();
}

}  // namespace adacvar
