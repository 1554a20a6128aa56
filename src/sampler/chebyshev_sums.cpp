#include "sampler/chebyshev_sums.hpp"

#include <array>

namespace adacvar {

namespace {

constexpr std::size_t kNodes = kChebyshevNodes;
static_assert(kNodes == 12, "the literals and formulas below are for 12 nodes");

// cos(m pi / 24), m = 0..12: Chebyshev nodes and values, as literals because cos is not portable.
constexpr std::array<double, 13> kCos = {1.0,
                                         0.99144486137381041114,
                                         0.96592582628906828675,
                                         0.92387953251128675613,
                                         0.86602540378443864676,
                                         0.79335334029123516458,
                                         0.70710678118654752440,
                                         0.60876142900872063942,
                                         0.5,
                                         0.38268343236508977173,
                                         0.25881904510252076235,
                                         0.13052619222005159155,
                                         0.0};

constexpr double cos_24th(std::size_t m) {
  m %= 48;
  if (m > 24) m = 48 - m;
  return m <= 12 ? kCos[m] : -kCos[24 - m];
}

using Matrix = std::array<double, kNodes * kNodes>;

// Row j: the contribution of the sum of T_j to each node's weight. With the nodes in increasing
// order, T_j(node r) = (-1)^j cos(j (2r + 1) pi / 24).
constexpr Matrix moments_to_weights() {
  Matrix matrix{};
  for (std::size_t j = 0; j < kNodes; ++j) {
    for (std::size_t r = 0; r < kNodes; ++r) {
      const double value = cos_24th(j * (2 * r + 1)) * (j % 2 == 0 ? 1.0 : -1.0);
      matrix[j * kNodes + r] = value * (j == 0 ? 1.0 : 2.0) / static_cast<double>(kNodes);
    }
  }
  return matrix;
}
alignas(32) constexpr Matrix kToWeights = moments_to_weights();

// Always inlined, so that it is compiled for the instruction set of the caller.
[[gnu::always_inline]] inline void transform_cell(const double* moments, double* weights) {
  constexpr std::size_t kVectors = kNodes / 4;
  const auto* matrix = reinterpret_cast<const Vec4*>(kToWeights.data());
  auto* out = reinterpret_cast<Vec4*>(weights);
  Vec4 sum[kVectors] = {};  // NOLINT(modernize-avoid-c-arrays): std::array drops the alignment
  for (std::size_t j = 0; j < kNodes; ++j) {
    for (std::size_t v = 0; v < kVectors; ++v) sum[v] += moments[j] * matrix[j * kVectors + v];
  }
  for (std::size_t v = 0; v < kVectors; ++v) out[v] = sum[v];
}

}  // namespace

double node_position_from_first(std::size_t node) {
  const std::size_t cell = node / kNodes;
  return static_cast<double>(cell) + 0.5 - 0.5 * cos_24th(2 * (node % kNodes) + 1);
}

namespace {

// Polynomials T_0 .. T_11 at a point, four to a vector: T_(4+j) = 2 T_4 T_j - T_(4-j).
struct Polynomials {
  Vec4 low, middle, high;
};

[[gnu::always_inline]] inline void polynomials_at(double t, Polynomials& result) {
  const double t2 = 2.0 * t * t - 1.0;
  const double t3 = 2.0 * t * t2 - t;
  const double t4 = 2.0 * t2 * t2 - 1.0;
  const Vec4 low = {1.0, t, t2, t3};
  const Vec4 mirrored = {t4, t3, t2, t};
  const Vec4 middle = 2.0 * t4 * low - mirrored;
  result.low = low;
  result.middle = middle;
  result.high = 2.0 * t4 * middle - low;
}

}  // namespace

// An item leaves its place and enters another, mostly in the same cell: the two changes are then
// made at once, so that the second need not wait for the first to be stored.
ADACVAR_WIDE void add_chebyshev(double* moments, const MomentChange* changes, std::size_t count,
                                char* cell_changed) {
  Polynomials at;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t cell = changes[n].cell;
    auto* out = reinterpret_cast<Vec4*>(moments + cell * kNodes);
    polynomials_at(changes[n].t, at);
    Vec4 low = out[0] + changes[n].factor * at.low;
    Vec4 middle = out[1] + changes[n].factor * at.middle;
    Vec4 high = out[2] + changes[n].factor * at.high;
    if (n + 1 < count && changes[n + 1].cell == cell) {
      ++n;
      polynomials_at(changes[n].t, at);
      low += changes[n].factor * at.low;
      middle += changes[n].factor * at.middle;
      high += changes[n].factor * at.high;
    }
    out[0] = low;
    out[1] = middle;
    out[2] = high;
    cell_changed[cell] = 1;
  }
}

ADACVAR_WIDE void transform_changed(const double* moments, std::size_t cells, char* changed,
                                    double* weights) {
  for (std::size_t c = 0; c < cells; ++c) {
    if (changed[c] == 0) continue;
    transform_cell(moments + c * kNodes, weights + c * kNodes);
    changed[c] = 0;
  }
}

ADACVAR_WIDE void sum_over_nodes(const double* weights, const double* decays, const double* moments,
                                 std::size_t cells, double scale, NodeSums* result) {
  Vec4 value{}, first{}, second{}, third{};
  for (std::size_t c = 0; c < cells; ++c) {
    if (moments[c * kNodes] == 0.0) continue;
    const auto* weight = reinterpret_cast<const Vec4*>(weights + c * kNodes);
    const auto* decay = reinterpret_cast<const Vec4*>(decays + c * kNodes);
    for (std::size_t g = 0; g < kNodes / 4; ++g) {
      const Vec4 odds = scale * decay[g];
      const Vec4 p = 1.0 / (1.0 + odds);
      const Vec4 v = odds * p * p;
      const Vec4 wv = weight[g] * v;
      value += weight[g] * p;
      first += wv;
      second += wv * (1.0 - 2.0 * p);
      third += wv * (1.0 - 6.0 * v);
    }
  }
  *result = {value, first, second, third};
}

}  // namespace adacvar
