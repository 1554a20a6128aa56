#include "learner/row_kernels.hpp"

#include "base/vector.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace adacvar {

namespace {

// Prefetch distance in rows, about the latency of memory.
constexpr std::size_t kAhead = 16;

// Rows processed together: their additions are independent, and weights are read once for all.
constexpr std::size_t kGroup = 4;

constexpr std::size_t kLine = 64;

// Up to this size, rows read for the scores are still in the cache for the gradient.
constexpr std::size_t kCacheBytes = std::size_t{1} << 17U;

// Localities of __builtin_prefetch. Rows needed soon go to the nearest cache; those of the next
// batch, which would push out the rows in use, only to the second.
constexpr int kNearest = 3;
constexpr int kSecond = 2;

template <int Locality>
void fetch(const void* memory, std::size_t bytes) {
  const auto* begin = static_cast<const char*>(memory);
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(begin + at, 0, Locality);
  // A row need not be aligned to a cache line, so it may extend into one more.
  if (bytes > 0) __builtin_prefetch(begin + bytes - 1, 0, Locality);
}

template <int Locality = kNearest>
void fetch_dense(const Dataset& data, Index row) {
  fetch<Locality>(data.dense.data() + row * data.features, data.features * sizeof(float));
}

void fetch_sparse(const Dataset& data, Index row) {
  const std::size_t begin = data.start[row];
  const std::size_t count = data.start[row + 1] - begin;
  fetch<kNearest>(data.column.data() + begin, count * sizeof(data.column[0]));
  if (data.value.empty()) return;
  fetch<kNearest>(data.value.data() + begin, count * sizeof(data.value[0]));
}

// True if that many rows stay in the cache.
bool fit_cache(const Dataset& data, std::span<const Index> rows) {
  return rows.size() * data.features * sizeof(float) <= kCacheBytes;
}

// Always inlined, as below, so that it is compiled for the instruction set of the caller.
[[gnu::always_inline]] inline void load(const double* from, Vec4& to) {
  std::memcpy(&to, from, sizeof(to));
}

[[gnu::always_inline]] inline void load(const float* from, Vec4& to) {
  to = Vec4{from[0], from[1], from[2], from[3]};  // one instruction, as a vector conversion is not
}

template <std::size_t Count>
[[gnu::always_inline]] inline void dot(const float* const* rows, const double* weights,
                                       std::size_t features, double* results) {
  Vec4 sums[Count];  // NOLINT(modernize-avoid-c-arrays): std::array drops the alignment
  Vec4 w;
  Vec4 x;
#pragma GCC unroll 4
  for (std::size_t r = 0; r < Count; ++r) sums[r] = Vec4{};
  std::size_t f = 0;
  for (; f + 4 <= features; f += 4) {
    load(weights + f, w);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Count; ++r) {
      load(rows[r] + f, x);
      sums[r] += x * w;
    }
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r < Count; ++r) {
    double first = sums[r][0];
    for (std::size_t rest = f; rest < features; ++rest) {
      first += static_cast<double>(rows[r][rest]) * weights[rest];
    }
    results[r] = (first + sums[r][1]) + (sums[r][2] + sums[r][3]);
  }
}

template <std::size_t Count>
[[gnu::always_inline]] inline void add(const float* const* rows, const double* factors,
                                       std::size_t features, double* gradient) {
  std::size_t f = 0;
  for (; f + 4 <= features; f += 4) {
    Vec4 sum;
    Vec4 x;
    load(gradient + f, sum);
    for (std::size_t r = 0; r < Count; ++r) {
      load(rows[r] + f, x);
      sum += factors[r] * x;
    }
    std::memcpy(gradient + f, &sum, sizeof(sum));
  }
  for (; f < features; ++f) {
    for (std::size_t r = 0; r < Count; ++r) {
      gradient[f] += factors[r] * static_cast<double>(rows[r][f]);
    }
  }
  for (std::size_t r = 0; r < Count; ++r) gradient[features] += factors[r];
}

ADACVAR_WIDE void score_dense(const Dataset& data, std::span<const Index> rows,
                              const double* weights, double intercept, double* scores,
                              std::size_t stride) {
  std::array<const float*, kGroup> group;
  std::array<double, kGroup> dots;
  for (std::size_t b = 0; b < std::min(kAhead, rows.size()); ++b) fetch_dense(data, rows[b]);
  for (std::size_t b = 0; b < rows.size(); b += kGroup) {
    const std::size_t count = std::min(kGroup, rows.size() - b);
    for (std::size_t r = 0; r < count; ++r) {
      if (b + r + kAhead < rows.size()) fetch_dense(data, rows[b + r + kAhead]);
      group[r] = data.dense.data() + rows[b + r] * data.features;
    }
    if (count == kGroup) {
      dot<kGroup>(group.data(), weights, data.features, dots.data());
    } else {
      for (std::size_t r = 0; r < count; ++r) {
        dot<1>(&group[r], weights, data.features, &dots[r]);
      }
    }
    for (std::size_t r = 0; r < count; ++r) scores[(b + r) * stride] = dots[r] + intercept;
  }
}

// Rows of derivative 0 are skipped: with the truncated loss they are most.
ADACVAR_WIDE void add_dense(const Dataset& data, std::span<const Index> rows,
                            const double* derivatives, std::size_t stride, double* gradient,
                            std::span<const Index> next) {
  std::array<const float*, kGroup> group;
  std::array<double, kGroup> factors;
  std::size_t count = 0;
  const std::size_t fetched = fit_cache(data, rows) ? 0 : rows.size();
  const std::size_t coming = fit_cache(data, next) ? next.size() : 0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    if (b + kAhead < fetched) fetch_dense(data, rows[b + kAhead]);
    if (b < coming) fetch_dense<kSecond>(data, next[b]);
    const double derivative = derivatives[b * stride];
    if (derivative == 0.0) continue;
    group[count] = data.dense.data() + rows[b] * data.features;
    factors[count] = derivative;
    if (++count < kGroup) continue;
    add<kGroup>(group.data(), factors.data(), data.features, gradient);
    count = 0;
  }
  for (std::size_t r = 0; r < count; ++r) add<1>(&group[r], &factors[r], data.features, gradient);
}

// The offsets of a row must be prefetched before its entries can be.
void fetch_ahead_sparse(const Dataset& data, std::span<const Index> rows, std::size_t b) {
  if (b + 2 * kAhead < rows.size()) __builtin_prefetch(&data.start[rows[b + 2 * kAhead]]);
  if (b + kAhead < rows.size()) fetch_sparse(data, rows[b + kAhead]);
}

void score_sparse(const Dataset& data, std::span<const Index> rows, const double* weights,
                  double intercept, double* scores, std::size_t stride) {
  for (std::size_t b = 0; b < rows.size(); ++b) {
    fetch_ahead_sparse(data, rows, b);
    double sum = 0.0;
    const std::size_t end = data.start[rows[b] + 1];
    if (data.value.empty()) {
      for (std::size_t e = data.start[rows[b]]; e < end; ++e) sum += weights[data.column[e]];
    } else {
      for (std::size_t e = data.start[rows[b]]; e < end; ++e) {
        sum += static_cast<double>(data.value[e]) * weights[data.column[e]];
      }
    }
    scores[b * stride] = sum + intercept;
  }
}

void add_sparse(const Dataset& data, std::span<const Index> rows, const double* derivatives,
                std::size_t stride, double* gradient) {
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const double derivative = derivatives[b * stride];
    if (derivative == 0.0) continue;
    for (std::size_t e = data.start[rows[b]]; e < data.start[rows[b] + 1]; ++e) {
      gradient[data.column[e]] += derivative * static_cast<double>(data.entry(e));
    }
    gradient[data.features] += derivative;
  }
}

}  // namespace

void score_rows(const Dataset& data, std::span<const Index> rows, const double* weights,
                double intercept, double* scores, std::size_t stride) {
  const auto score = data.is_sparse() ? score_sparse : score_dense;
  score(data, rows, weights, intercept, scores, stride);
}

void add_offsets(const Dataset& data, std::span<const Index> rows, std::size_t outputs,
                 std::span<double> scores) {
  if (data.offsets.empty()) return;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    for (std::size_t o = 0; o < outputs; ++o) {
      scores[b * outputs + o] += data.offsets[rows[b] * outputs + o];
    }
  }
}

void add_rows(const Dataset& data, std::span<const Index> rows, const double* derivatives,
              std::size_t stride, double* gradient, std::span<const Index> next) {
  if (data.is_sparse()) {
    add_sparse(data, rows, derivatives, stride, gradient);
  } else {
    add_dense(data, rows, derivatives, stride, gradient, next);
  }
}

}  // namespace adacvar
