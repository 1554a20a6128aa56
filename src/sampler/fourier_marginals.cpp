#include "sampler/fourier_marginals.hpp"

#include "base/portable_math.hpp"
#include "base/vector.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace adacvar {

namespace {

// e^-42: nodes whose product is below this share of the largest are left out.
constexpr double kNegligible = 42.0;

constexpr std::size_t kBlock = 1024;

// Factor of an item whose lighter side has probability r: 1 - r (1 - cos t) +- i r sin t.
// `signed_light`: r, negative for items with p > 1/2.
ADACVAR_WIDE void multiply_block(const double* one_minus_cos, const double* sines,
                                 std::size_t vectors, const double* signed_light, std::size_t count,
                                 double* reals, double* imags) {
  const auto* d = reinterpret_cast<const Vec4*>(one_minus_cos);
  const auto* s = reinterpret_cast<const Vec4*>(sines);
  auto* real = reinterpret_cast<Vec4*>(reals);
  auto* imag = reinterpret_cast<Vec4*>(imags);
  for (std::size_t v = 0; v < vectors; ++v) {
    // Two products over alternate items, whose dependency chains overlap.
    Vec4 re0 = real[v], im0 = imag[v];
    Vec4 re1 = Vec4{} + 1.0, im1{};
    for (std::size_t i = 0; i < count; i += 2) {
      const double a = signed_light[i];
      const double b = signed_light[i + 1];
      const Vec4 fa = 1.0 - (a < 0 ? -a : a) * d[v];
      const Vec4 ga = a * s[v];
      const Vec4 fb = 1.0 - (b < 0 ? -b : b) * d[v];
      const Vec4 gb = b * s[v];
      const Vec4 t0 = re0 * fa - im0 * ga;
      im0 = re0 * ga + im0 * fa;
      re0 = t0;
      const Vec4 t1 = re1 * fb - im1 * gb;
      im1 = re1 * gb + im1 * fb;
      re1 = t1;
    }
    real[v] = re0 * re1 - im0 * im1;
    imag[v] = re0 * im1 + im0 * re1;
  }
}

struct NodeView {
  const double* cos;
  const double* sin;
  const double* one_plus_cos;
  const double* coef_real;
  const double* coef_imag;
  std::size_t count;
};

// With w = e^-|z| the sum is w Re sum c (e^(+-it) + w) / |1 + w e^it|^2: P for z <= 0, 1 - P above.
template <class Real>
[[gnu::always_inline]] inline void light_sum(const NodeView& nodes, const Real& w, const Real& sign,
                                             Real& sum) {
  sum = Real{};
  for (std::size_t j = 0; j < nodes.count; ++j) {
    const Real size = (1.0 - w) * (1.0 - w) + 2.0 * w * nodes.one_plus_cos[j];
    const Real top =
        nodes.coef_real[j] * (nodes.cos[j] + w) + sign * (nodes.coef_imag[j] * nodes.sin[j]);
    sum += top / size;
  }
  sum *= w;
}

ADACVAR_WIDE void marginal_block(const NodeView& nodes, const double* z, std::size_t count,
                                 double* out) {
  for (std::size_t i = 0; i < count; i += 4) {
    const Vec4 at = {z[i], z[i + 1], z[i + 2], z[i + 3]};
    const Vec4 zero{};
    Vec4 w = at > 0.0 ? -at : at;
    const Vec4 sign = at > 0.0 ? zero + 1.0 : zero - 1.0;
    portable::detail::exponentiate<Vec4, Vec4Bits>(w);
    Vec4 sum;
    light_sum<Vec4>(nodes, w, sign, sum);
    sum = at > 0.0 ? 1.0 - sum : sum;
    sum = sum < 0.0 ? zero : sum;
    sum = sum > 1.0 ? zero + 1.0 : sum;
    for (std::size_t lane = 0; lane < 4; ++lane) out[i + lane] = sum[lane];
  }
}

// log(1 - e) for 0 <= e <= 1/2.
double log_of_rest(double e) {
  const double s = e / (2.0 - e);
  const double s2 = s * s;
  double series = 0.0;
  for (int odd = 35; odd >= 3; odd -= 2) series = s2 * (series + 1.0 / odd);
  return -2.0 * s * (1.0 + series);
}

// atan(u) for 0 <= u <= 2, the argument halved twice first.
double arc_tangent(double u) {
  u /= 1.0 + std::sqrt(1.0 + u * u);
  u /= 1.0 + std::sqrt(1.0 + u * u);
  const double u2 = u * u;
  double series = 0.0;
  for (int odd = 25; odd >= 3; odd -= 2) series = -u2 * (series + 1.0 / odd);
  return 4.0 * u * (1.0 + series);
}

}  // namespace

void FourierMarginals::begin(std::size_t size, double variance, double width) {
  variance = std::max(variance, 0.0);
  // More nodes than values of S are exact without any decay.
  modulus_ = std::min(size + 1, static_cast<std::size_t>(width * (std::sqrt(variance) + 3.5))) | 1U;
  nodes_ = 0;
  certain_ = 0;
  const std::size_t most = modulus_ / 2 + 1;
  for (auto* column : {&cos_, &sin_, &one_minus_cos_, &one_plus_cos_}) column->clear();
  for (std::size_t j = 0; j < most; ++j) {
    const auto full = portable::sin_cos_turn(j, modulus_);
    const auto half = portable::sin_cos_turn(j, 2 * modulus_);
    const double one_minus_cos = 2.0 * half.sin * half.sin;
    if (variance * one_minus_cos > kNegligible) break;
    cos_.push_back(full.cos);
    sin_.push_back(full.sin);
    one_minus_cos_.push_back(one_minus_cos);
    one_plus_cos_.push_back(2.0 * half.cos * half.cos);
    ++nodes_;
  }
  largest_angle_ =
      2.0 * std::numbers::pi * static_cast<double>(nodes_ - 1) / static_cast<double>(modulus_);
  padded_ = (nodes_ + 3) / 4 * 4;
  for (auto* column : {&cos_, &sin_, &one_minus_cos_, &one_plus_cos_}) column->resize(padded_, 0.0);
  real_.assign(padded_, 1.0);
  imag_.assign(padded_, 0.0);
  log_size_.assign(padded_, 0.0);
  angle_.assign(padded_, 0.0);
}

void FourierMarginals::include(std::span<const double> z) {
  std::array<double, kBlock> light;
  for (std::size_t start = 0; start < z.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, z.size() - start);
    for (std::size_t i = 0; i < count; ++i) light[i] = -std::abs(z[start + i]);
    portable::sigmoid_in_place(std::span(light).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (z[start + i] > 0.0) {
        light[i] = -light[i];
        ++certain_;
      }
    }
    if (count % 2 == 1) light[count] = 0.0;  // a factor of 1
    multiply_block(one_minus_cos_.data(), sin_.data(), padded_ / 4, light.data(),
                   (count + 1) / 2 * 2, real_.data(), imag_.data());
  }
}

void FourierMarginals::include(double z) {
  multiply(portable::sigmoid(-std::abs(z)), z > 0.0, false);
  if (z > 0.0) ++certain_;
}

void FourierMarginals::exclude(double z) {
  multiply(portable::sigmoid(-std::abs(z)), z > 0.0, true);
  if (z > 0.0) --certain_;
}

void FourierMarginals::multiply(double light, bool heavy, bool inverse) {
  for (std::size_t j = 0; j < nodes_; ++j) {
    double f = 1.0 - light * one_minus_cos_[j];
    double g = (heavy ? -light : light) * sin_[j];
    if (inverse) {
      const double size = f * f + g * g;
      f /= size;
      g /= -size;
    }
    const double real = real_[j] * f - imag_[j] * g;
    imag_[j] = real_[j] * g + imag_[j] * f;
    real_[j] = real;
  }
}

void FourierMarginals::include_weighted(double z, double weight, bool heavy) {
  const double light = portable::sigmoid(heavy ? -z : z);
  const double side = heavy ? -weight : weight;
  for (std::size_t j = 0; j < nodes_; ++j) {
    const double f = 1.0 - light * one_minus_cos_[j];
    log_size_[j] += 0.5 * weight * log_of_rest(2.0 * light * (1.0 - light) * one_minus_cos_[j]);
    angle_[j] += side * arc_tangent(light * sin_[j] / f);
  }
}

// u^-target Phi at a node, doubled for the conjugate node.
FourierMarginals::Complex FourierMarginals::term(std::size_t node, std::uint64_t target) const {
  // u^(certain - target), the exponent reduced as an integer.
  const std::uint64_t m = modulus_;
  const std::uint64_t power = (certain_ % m + m - target % m) % m;
  const auto turn = portable::sin_cos_turn(node * power % m, m);
  const auto smooth = portable::sin_cos(angle_[node]);
  const double size = (node == 0 ? 1.0 : 2.0) * portable::exp(log_size_[node]);
  const double c = turn.cos * smooth.cos - turn.sin * smooth.sin;
  const double s = turn.cos * smooth.sin + turn.sin * smooth.cos;
  return {size * (real_[node] * c - imag_[node] * s), size * (real_[node] * s + imag_[node] * c)};
}

void FourierMarginals::finish(std::size_t target) {
  coef_real_.assign(padded_, 0.0);
  coef_imag_.assign(padded_, 0.0);
  double total = 0.0;
  for (std::size_t j = 0; j < nodes_; ++j) {
    const auto [real, imag] = term(j, target);
    coef_real_[j] = real;
    coef_imag_[j] = imag;
    total += real;
  }
  for (std::size_t j = 0; j < nodes_; ++j) {
    coef_real_[j] /= total;
    coef_imag_[j] /= total;
  }
}

double FourierMarginals::probability(std::uint64_t value) const {
  double total = 0.0;
  for (std::size_t j = 0; j < nodes_; ++j) total += term(j, value).real;
  return std::max(total / static_cast<double>(modulus_), 0.0);
}

double FourierMarginals::marginal(double z) const {
  const NodeView nodes{cos_.data(),       sin_.data(),       one_plus_cos_.data(),
                       coef_real_.data(), coef_imag_.data(), nodes_};
  const double w = portable::exp(-std::abs(z));
  double sum = 0.0;
  light_sum<double>(nodes, w, z > 0.0 ? 1.0 : -1.0, sum);
  return std::clamp(z > 0.0 ? 1.0 - sum : sum, 0.0, 1.0);
}

void FourierMarginals::marginals(std::span<const double> z, std::span<double> out) const {
  const NodeView nodes{cos_.data(),       sin_.data(),       one_plus_cos_.data(),
                       coef_real_.data(), coef_imag_.data(), nodes_};
  const std::size_t whole = z.size() / 4 * 4;
  marginal_block(nodes, z.data(), whole, out.data());
  for (std::size_t i = whole; i < z.size(); ++i) out[i] = marginal(z[i]);
}

void FourierMarginals::save(StateWriter& writer) const {
  writer.put(certain_);
  for (const auto* column : {&real_, &imag_, &log_size_, &angle_}) {
    writer.put_array(std::span<const double>(*column));
  }
}

void FourierMarginals::load(StateReader& reader) {
  certain_ = reader.get<std::uint64_t>();
  for (auto* column : {&real_, &imag_, &log_size_, &angle_}) {
    reader.get_array(std::span<double>(*column));
    reader.require(std::ranges::all_of(*column, [](double x) { return std::isfinite(x); }),
                   "a Fourier product is not finite");
  }
}

double FourierMarginals::light_ratio() const {
  double sum = 0.0;
  for (std::size_t j = 0; j < nodes_; ++j) {
    sum += coef_real_[j] * cos_[j] - coef_imag_[j] * sin_[j];
  }
  return std::max(sum, 0.0);
}

}  // namespace adacvar
