#include "learner/row_kernels.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace adacvar {
namespace {

constexpr std::size_t kRows = 90;

Dataset random_rows(std::size_t features, bool sparse) {
  Rng rng(features);
  Dataset data;
  data.rows = kRows;
  data.features = features;
  if (sparse) data.start.push_back(0);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t f = 0; f < features; ++f) {
      const auto x = static_cast<float>(rng.uniform() - 0.5);
      if (!sparse) data.dense.push_back(x);
      if (!sparse || rng.uniform() < 0.6) continue;
      data.column.push_back(static_cast<std::uint32_t>(f));
      data.value.push_back(x);
    }
    if (sparse) data.start.push_back(data.value.size());
  }
  return data;
}

struct Entry {
  std::size_t column;
  double value;
};

std::vector<Entry> entries_of(const Dataset& data, std::size_t row) {
  std::vector<Entry> entries;
  if (data.is_sparse()) {
    for (std::size_t e = data.start[row]; e < data.start[row + 1]; ++e) {
      entries.push_back({data.column[e], data.value.empty() ? 1.0 : double{data.value[e]}});
    }
    return entries;
  }
  for (std::size_t f = 0; f < data.features; ++f) {
    entries.push_back({f, static_cast<double>(data.dense[row * data.features + f])});
  }
  return entries;
}

// Reference: the order of additions stated in the header, one at a time.
double plain_score(const Dataset& data, std::size_t row, const double* weights, double intercept) {
  std::vector<double> sums(4, 0.0);
  const std::size_t whole = data.features / 4 * 4;
  for (const auto [column, value] : entries_of(data, row)) {
    const std::size_t lane = data.is_sparse() || column >= whole ? 0 : column % 4;
    sums[lane] += value * weights[column];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]) + intercept;
}

void plain_add(const Dataset& data, std::size_t row, double derivative, double* gradient) {
  for (const auto [column, value] : entries_of(data, row)) gradient[column] += derivative * value;
  gradient[data.features] += derivative;
}

// Batches with repeats, and sizes on either side of the groups and of the prefetch distance.
std::vector<Index> random_batch(Rng& rng, std::size_t size) {
  std::vector<Index> batch(size);
  for (Index& i : batch) i = rng.below(kRows);
  return batch;
}

template <class Function>
void for_each_case(Function function) {
  Rng rng(1);
  enum class Rows : std::uint8_t { dense, sparse, one_hot };
  for (const Rows kind : {Rows::dense, Rows::sparse, Rows::one_hot}) {
    for (const std::size_t features : {1, 2, 3, 4, 5, 8, 10, 17, 50}) {
      Dataset data = random_rows(features, kind != Rows::dense);
      if (kind == Rows::one_hot) data.value.clear();
      for (const std::size_t size : {0, 1, 3, 4, 5, 16, 17, 40, 64, 131}) {
        for (const std::size_t outputs : {1, 3}) {
          function(rng, data, random_batch(rng, size), outputs);
        }
      }
    }
  }
}

std::vector<double> random_values(Rng& rng, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = rng.uniform() - 0.5;
  return values;
}

// Equal to the last bit, here and below.
TEST(RowKernels, scores_are_those_of_the_plain_sum) {
  for_each_case(
      [](Rng& rng, const Dataset& data, const std::vector<Index>& batch, std::size_t outputs) {
        const std::vector<double> weights = random_values(rng, data.features);
        for (std::size_t o = 0; o < outputs; ++o) {
          std::vector<double> scores(batch.size() * outputs, 7.0);
          std::vector<double> expected = scores;
          if (!batch.empty()) {
            score_rows(data, batch, weights.data(), 0.25, scores.data() + o, outputs);
          }
          for (std::size_t b = 0; b < batch.size(); ++b) {
            expected[b * outputs + o] = plain_score(data, batch[b], weights.data(), 0.25);
          }
          ASSERT_EQ(scores, expected) << data.features << " features, " << batch.size() << " rows";
        }
      });
}

TEST(RowKernels, gradients_are_those_of_the_plain_sum) {
  for_each_case([](Rng& rng, const Dataset& data, const std::vector<Index>& batch,
                   std::size_t outputs) {
    std::vector<double> derivatives = random_values(rng, batch.size() * outputs);
    for (double& derivative : derivatives)
      derivative = derivative < -0.2 ? 0.0 : derivative;  // rows of derivative 0
    for (std::size_t o = 0; o < outputs; ++o) {
      std::vector<double> gradient = random_values(rng, data.features + 1);
      std::vector<double> expected = gradient;
      if (!batch.empty()) {
        add_rows(data, batch, derivatives.data() + o, outputs, gradient.data());
      }
      for (std::size_t b = 0; b < batch.size(); ++b) {
        plain_add(data, batch[b], derivatives[b * outputs + o], expected.data());
      }
      ASSERT_EQ(gradient, expected) << data.features << " features, " << batch.size() << " rows";
    }
  });
}

}  // namespace
}  // namespace adacvar
