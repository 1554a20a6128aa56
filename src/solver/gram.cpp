#include "solver/gram.hpp"

#include "base/parallel.hpp"
#include "base/vector.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace adacvar {

namespace {

constexpr std::size_t kPanel = 8;         // columns side by side in packed rows
constexpr std::size_t kPackedRows = 128;  // three panels of them stay in the first cache
constexpr std::size_t kAhead = 8;         // rows that are fetched ahead
constexpr std::size_t kMostParts = 16;
constexpr std::size_t kLeastRowsPerPart = 1024;
constexpr std::size_t kManyFeatures = 2000;

std::size_t parts_of(std::size_t rows, std::size_t features) {
  const std::size_t most = features > kManyFeatures ? 2 : kMostParts;
  return std::clamp<std::size_t>(rows / kLeastRowsPerPart, 1, most);
}

using Lanes2 = double __attribute__((vector_size(16)));
using Lanes4 = double __attribute__((vector_size(32)));
using Lanes8 = double __attribute__((vector_size(64)));

/// Adds left' right to a tile of `sum`: kPanel columns of packed rows times `Panels` panels of
/// them. `Rows` rows of the tile stay in registers while all packed rows go by.
template <class Vec, std::size_t Rows, std::size_t Panels>
[[gnu::always_inline]] inline void add_tile(const double* left, const double* right,
                                            std::size_t count, double* sum, std::size_t stride) {
  constexpr std::size_t kLanes = sizeof(Vec) / sizeof(double);
  constexpr std::size_t kVecs = kPanel / kLanes;
  for (std::size_t first = 0; first < kPanel; first += Rows) {
    Vec tile[Rows][Panels * kVecs] = {};  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t v = 0; v < Panels * kVecs; ++v) {
        Vec entries;
        std::memcpy(&entries,
                    right + v / kVecs * kPackedRows * kPanel + r * kPanel + v % kVecs * kLanes,
                    sizeof(Vec));
        for (std::size_t a = 0; a < Rows; ++a) {
          tile[a][v] += left[r * kPanel + first + a] * entries;
        }
      }
    }
    for (std::size_t a = 0; a < Rows; ++a) {
      for (std::size_t v = 0; v < Panels * kVecs; ++v) {
        double* const out = sum + (first + a) * stride + v * kLanes;
        Vec before;
        std::memcpy(&before, out, sizeof(Vec));
        before += tile[a][v];
        std::memcpy(out, &before, sizeof(Vec));
      }
    }
  }
}

/// The upper triangle of the sum, in tiles.
template <class Vec, std::size_t Rows, std::size_t Panels>
[[gnu::always_inline]] inline void add_panels(const double* rows, const double* weighted,
                                              std::size_t count, std::size_t panels, double* sum) {
  constexpr std::size_t kSize = kPackedRows * kPanel;
  const std::size_t stride = panels * kPanel;
  std::size_t j = 0;
  for (; j + Panels <= panels; j += Panels) {
    for (std::size_t i = 0; i < j + Panels; ++i) {
      add_tile<Vec, Rows, Panels>(weighted + i * kSize, rows + j * kSize, count,
                                  sum + i * kPanel * stride + j * kPanel, stride);
    }
  }
  for (; j < panels; ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      add_tile<Vec, Rows, 1>(weighted + i * kSize, rows + j * kSize, count,
                             sum + i * kPanel * stride + j * kPanel, stride);
    }
  }
}

using AddPanels = void (*)(const double*, const double*, std::size_t, std::size_t, double*);

void add_panels_plain(const double* rows, const double* weighted, std::size_t count,
                      std::size_t panels, double* sum) {
  add_panels<Lanes2, 2, 1>(rows, weighted, count, panels, sum);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void add_panels_avx2(const double* rows, const double* weighted,
                                                         std::size_t count, std::size_t panels,
                                                         double* sum) {
  add_panels<Lanes4, 4, 1>(rows, weighted, count, panels, sum);
}

__attribute__((target("avx512f"))) void add_panels_avx512(const double* rows,
                                                          const double* weighted, std::size_t count,
                                                          std::size_t panels, double* sum) {
  add_panels<Lanes8, 8, 2>(rows, weighted, count, panels, sum);
}
#endif

AddPanels choose_add_panels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return &add_panels_avx512;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return &add_panels_avx2;
  }
#endif
  return &add_panels_plain;
}

ADACVAR_WIDE void pack(const float* entries, double weight, std::size_t panels, double* plain,
                       double* weighted) {
  for (std::size_t p = 0; p < panels; ++p) {
    for (std::size_t e = 0; e < kPanel; ++e) {
      const auto x = static_cast<double>(entries[p * kPanel + e]);
      plain[p * kPackedRows * kPanel + e] = x;
      weighted[p * kPackedRows * kPanel + e] = weight * x;
    }
  }
}

/// Some rows of dense data in double precision, panel by panel, and the same times their weights.
class PackedRows {
 public:
  explicit PackedRows(std::size_t width)
      : panels_((width + kPanel - 1) / kPanel),
        rows_(panels_ * kPackedRows * kPanel),
        weighted_(rows_.size()),
        entries_(panels_ * kPanel) {
    entries_[width - 1] = 1;
  }

  void add(const Dataset& data, Index row, double weight) {
    const float* x = data.dense.data() + std::size_t{row} * data.features;
    for (std::size_t f = 0; f < data.features; ++f) entries_[f] = x[f];
    pack(entries_.data(), weight, panels_, rows_.data() + count_ * kPanel,
         weighted_.data() + count_ * kPanel);
    ++count_;
  }

  static void fetch(const Dataset& data, Index row) {
    constexpr std::size_t kLine = 64 / sizeof(float);
    const float* const x = data.dense.data() + std::size_t{row} * data.features;
    for (std::size_t f = 0; f < data.features; f += kLine) __builtin_prefetch(x + f);
  }

  [[nodiscard]] bool is_full() const { return count_ == kPackedRows; }
  [[nodiscard]] std::size_t stride() const { return panels_ * kPanel; }

  void flush(double* sum) {
    static const AddPanels add_panels = choose_add_panels();
    add_panels(rows_.data(), weighted_.data(), count_, panels_, sum);
    count_ = 0;
  }

 private:
  std::size_t panels_;
  std::size_t count_ = 0;
  std::vector<double> rows_;
  std::vector<double> weighted_;
  std::vector<float> entries_;
};

/// The upper triangle of a part's sum, row by row.
struct PartSum {
  std::size_t stride = 0;
  std::vector<double> entries;
};

PartSum dense_sum(const Dataset& data, std::span<const Index> rows,
                  std::span<const double> weights) {
  PackedRows packed(data.features + 1);
  PartSum sum{packed.stride(), std::vector<double>(packed.stride() * packed.stride())};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r + kAhead < rows.size()) packed.fetch(data, rows[r + kAhead]);
    if (weights[r] == 0) continue;
    packed.add(data, rows[r], weights[r]);
    if (packed.is_full()) packed.flush(sum.entries.data());
  }
  packed.flush(sum.entries.data());
  return sum;
}

PartSum sparse_sum(const Dataset& data, std::span<const Index> rows,
                   std::span<const double> weights) {
  const std::size_t width = data.features + 1;
  PartSum sum{width, std::vector<double>(width * width)};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (weights[r] == 0) continue;
    const std::size_t end = data.start[rows[r] + std::size_t{1}];
    for (std::size_t e = data.start[rows[r]]; e < end; ++e) {
      const double scaled = weights[r] * static_cast<double>(data.entry(e));
      double* const line = sum.entries.data() + data.column[e] * width;
      for (std::size_t f = e; f < end; ++f) {  // columns increase within a row
        line[data.column[f]] += scaled * static_cast<double>(data.entry(f));
      }
      line[width - 1] += scaled;
    }
    sum.entries.back() += weights[r];
  }
  return sum;
}

// A column's square that is left when other columns are taken away. Single precision leaves 1e-15,
// and as much by way of each of the others; a Gram matrix has no more digits, either.
double least_left(std::size_t features) {
  return std::max(1e-13, 2e-15 * static_cast<double>(features));
}

/// Products of the columns over every `stride`-th row, the intercept first, each column of length
/// 1 or 0. Reference levels are orthogonal to all others.
Eigen::MatrixXd products_of(const Dataset& data, std::size_t stride, unsigned threads) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < data.rows; i += stride) rows.push_back(static_cast<Index>(i));
  const Eigen::MatrixXd gram =
      weighted_gram(data, rows, std::vector<double>(rows.size(), 1.0), threads);
  const Eigen::Index size = gram.rows();
  Eigen::VectorXi order = Eigen::VectorXi::LinSpaced(size, -1, static_cast<int>(size) - 2);
  order(0) = static_cast<int>(size) - 1;
  const Eigen::VectorXd unit = gram.diagonal().unaryExpr(
      [](double square) { return square > 0 ? 1 / std::sqrt(square) : 0.0; });
  Eigen::MatrixXd products = (unit.asDiagonal() * gram * unit.asDiagonal()).eval()(order, order);
  for (const std::uint32_t level : data.reference_levels) {
    const auto place = static_cast<Eigen::Index>(level) + 1;
    products.row(place).setZero();
    products.col(place).setZero();
    products(place, place) = 1;
  }
  return products;
}

bool has_full_rank(const Eigen::MatrixXd& products, double least) {
  const Eigen::LLT<Eigen::MatrixXd> factor(products);
  if (factor.info() != Eigen::Success) return false;
  return factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > least;
}

}  // namespace

Eigen::MatrixXd weighted_gram(const Dataset& data, std::span<const Index> rows,
                              std::span<const double> weights, unsigned threads) {
  const std::size_t parts = parts_of(rows.size(), data.features);
  std::vector<PartSum> sums(parts);
  for_each_block(parts, threads, [&](std::size_t p) {
    const std::size_t begin = rows.size() * p / parts;
    const std::size_t count = rows.size() * (p + 1) / parts - begin;
    const auto sum_of = data.is_sparse() ? &sparse_sum : &dense_sum;
    sums[p] = sum_of(data, rows.subspan(begin, count), weights.subspan(begin, count));
  });
  const auto size = static_cast<Eigen::Index>(data.features + 1);
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(size, size);
  for (const PartSum& sum : sums) {
    for (Eigen::Index i = 0; i < size; ++i) {
      const double* const line = sum.entries.data() + static_cast<std::size_t>(i) * sum.stride;
      for (Eigen::Index j = i; j < size; ++j) total(j, i) += line[j];
    }
  }
  total.triangularView<Eigen::StrictlyUpper>() = total.transpose();
  return total;
}

// Cholesky's method. Row j of `factor` is column j in terms of the columns kept.
std::vector<std::size_t> collinear_columns(const Dataset& data, unsigned threads) {
  const std::size_t enough = std::max<std::size_t>(2000, 4 * data.features);
  const std::size_t stride = std::max<std::size_t>(1, data.rows / enough);
  const double least = least_left(data.features);
  Eigen::MatrixXd products = products_of(data, stride, threads);
  std::vector<std::size_t> found(data.reference_levels.begin(), data.reference_levels.end());
  if (has_full_rank(products, least)) return found;
  if (stride > 1) products = products_of(data, 1, threads);
  const Eigen::Index size = products.rows();
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    const Eigen::VectorXd left =
        products.col(j).tail(size - j) -
        factor.bottomLeftCorner(size - j, j) * factor.row(j).head(j).transpose();
    if (left(0) > least) {
      factor.col(j).tail(size - j) = left / std::sqrt(left(0));
    } else {
      found.push_back(static_cast<std::size_t>(j) - 1);
    }
  }
  return found;
}

}  // namespace adacvar
