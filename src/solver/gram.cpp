#include "solver/gram.hpp"

#include "base/parallel.hpp"
#include "base/vector.hpp"

#include <algorithm>
#include <vector>

namespace adacvar {

namespace {

constexpr std::size_t kBlockRows = 64;  // packed rows stay in the cache
constexpr std::size_t kParts = 16;
constexpr std::size_t kLeastRowsPerPart = 1024;

/// Vec4 anywhere in an array of doubles.
using Loose = double __attribute__((vector_size(32), may_alias, aligned(8)));

/// Rows of a block in double precision, padded to whole vectors, and the same times the weights.
struct Packed {
  std::size_t stride;
  std::vector<double> rows;
  std::vector<double> weighted;

  explicit Packed(std::size_t width)
      : stride((width + 7) / 8 * 8), rows(kBlockRows * stride), weighted(kBlockRows * stride) {}
};

void pack_row(const Dataset& data, Index row, double weight, std::size_t place, Packed& packed) {
  auto* const plain = &packed.rows[place * packed.stride];
  auto* const scaled = &packed.weighted[place * packed.stride];
  const float* x = data.dense.data() + std::size_t{row} * data.features;
  for (std::size_t f = 0; f < data.features; ++f) {
    plain[f] = static_cast<double>(x[f]);
    scaled[f] = weight * plain[f];
  }
  plain[data.features] = 1.0;
  scaled[data.features] = weight;
}

// Four rows and eight columns of the sum stay in registers while all packed rows go by.
ADACVAR_WIDE void add_block(const double* rows, const double* weighted, std::size_t count,
                            std::size_t stride, double* sum) {
  for (std::size_t i = 0; i < stride; i += 4) {
    for (std::size_t j = i / 8 * 8; j < stride; j += 8) {
      Vec4 tile[4][2] = {};  // NOLINT(modernize-avoid-c-arrays)
      for (std::size_t r = 0; r < count; ++r) {
        const double* const left = weighted + r * stride + i;
        const auto* const right = reinterpret_cast<const Loose*>(rows + r * stride + j);
        for (std::size_t a = 0; a < 4; ++a) {
          tile[a][0] += left[a] * right[0];
          tile[a][1] += left[a] * right[1];
        }
      }
      for (std::size_t a = 0; a < 4; ++a) {
        auto* const out = reinterpret_cast<Loose*>(sum + (i + a) * stride + j);
        out[0] += tile[a][0];
        out[1] += tile[a][1];
      }
    }
  }
}

/// The upper triangle of a part's sum, row by row.
class PartSum {
 public:
  explicit PartSum(std::size_t width) : packed_(width), sum_(packed_.stride * packed_.stride) {}

  void add(const Dataset& data, std::span<const Index> rows, std::span<const double> weights) {
    for (std::size_t begin = 0; begin < rows.size(); begin += kBlockRows) {
      const std::size_t count = std::min(kBlockRows, rows.size() - begin);
      for (std::size_t r = 0; r < count; ++r) {
        pack_row(data, rows[begin + r], weights[begin + r], r, packed_);
      }
      add_block(packed_.rows.data(), packed_.weighted.data(), count, packed_.stride, sum_.data());
    }
  }

  void add_to(Eigen::MatrixXd& total) const {
    const auto width = static_cast<std::size_t>(total.rows());
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = i; j < width; ++j) {
        total(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) +=
            sum_[i * packed_.stride + j];
      }
    }
  }

 private:
  Packed packed_;
  std::vector<double> sum_;
};

Eigen::MatrixXd dense_gram(const Dataset& data, std::span<const Index> rows,
                           std::span<const double> weights, unsigned threads) {
  const std::size_t width = data.features + 1;
  const std::size_t parts = std::clamp<std::size_t>(rows.size() / kLeastRowsPerPart, 1, kParts);
  std::vector<PartSum> sums(parts, PartSum(width));
  for_each_block(parts, threads, [&](std::size_t p) {
    const std::size_t begin = rows.size() * p / parts;
    const std::size_t count = rows.size() * (p + 1) / parts - begin;
    sums[p].add(data, rows.subspan(begin, count), weights.subspan(begin, count));
  });
  const auto size = static_cast<Eigen::Index>(width);
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(size, size);
  for (const PartSum& sum : sums) sum.add_to(total);
  return total;
}

// One thread: the sum is as large as the features squared, the rows are short.
Eigen::MatrixXd sparse_gram(const Dataset& data, std::span<const Index> rows,
                            std::span<const double> weights) {
  const auto size = static_cast<Eigen::Index>(data.features + 1);
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t end = data.start[rows[r] + std::size_t{1}];
    for (std::size_t e = data.start[rows[r]]; e < end; ++e) {
      const double scaled = weights[r] * static_cast<double>(data.value[e]);
      const auto i = static_cast<Eigen::Index>(data.column[e]);
      for (std::size_t f = e; f < end; ++f) {  // columns increase within a row
        total(i, static_cast<Eigen::Index>(data.column[f])) +=
            scaled * static_cast<double>(data.value[f]);
      }
      total(i, size - 1) += scaled;
    }
    total(size - 1, size - 1) += weights[r];
  }
  return total;
}

}  // namespace

Eigen::MatrixXd weighted_gram(const Dataset& data, std::span<const Index> rows,
                              std::span<const double> weights, unsigned threads) {
  Eigen::MatrixXd total = data.is_sparse() ? sparse_gram(data, rows, weights)
                                           : dense_gram(data, rows, weights, threads);
  total.triangularView<Eigen::StrictlyLower>() = total.transpose();
  return total;
}

}  // namespace adacvar
