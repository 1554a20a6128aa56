#include <adacvar/sampler/adaptive_sampler.hpp>

#include <adacvar/sampler/kdpp.hpp>

#include "base/portable_math.hpp"
#include "base/printable.hpp"
#include "base/state_stream.hpp"
#include "sampler/check_batch.hpp"
#include "sampler/step_rule.hpp"
#include "sampler/tail_distribution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

constexpr std::uint32_t kStateVersion = 1;
constexpr std::uint32_t kWeightedStateVersion = 2;  // with row weights
constexpr std::string_view kStateKind = "ACVRADAP";

// Draws are made in groups, large enough for prefetching and small enough for the cache.
constexpr std::size_t kGroup = 128;

// A round accepts with probability at least e^-1/2; reaching this limit is an internal error, which
// must not become an endless loop.
constexpr std::size_t kMostRounds = 10000;

std::size_t tail_size_of(std::size_t size, double alpha) {
  // The factor keeps 0.29 * 100 = 28.999999999999996 from losing a member.
  const double exact = alpha * static_cast<double>(size) * (1.0 + 1e-12);
  return std::clamp<std::size_t>(static_cast<std::size_t>(exact), 1, size);
}

void check_combination(const AdaptiveSamplerOptions& options, bool weighted) {
  if (weighted && (options.marginals == Marginals::exact || options.batches == Batches::subset)) {
    throw OptionError(
        "marginals = exact and batches = subset are not supported with row weights: use "
        "marginals = matched and batches = iid");
  }
  if (options.batches == Batches::subset && options.marginals == Marginals::matched) {
    throw OptionError(
        "batches = subset needs marginals = exact: the members of a k-subset have the exact "
        "marginals");
  }
}

}  // namespace

class AdaptiveSampler::Impl : public TailDistribution {
 public:
  Impl(std::size_t size, const AdaptiveSamplerOptions& options,
       std::shared_ptr<const WeightClasses> weights)
      : TailDistribution(size,
                         weights != nullptr ? weighted_scale(size, options.alpha, weights->total())
                                            : scale(size, options.alpha),
                         weights, options.gamma),
        tail_size_(tail_size_of(size, options.alpha)),
        options_(options),
        next_gamma_(options.gamma),
        rule_(size, options) {}

  void adopt(LogWeightBuckets buckets);

  void set_gamma(double gamma) {
    check_range("gamma", gamma, {.low = 0, .high = 1});
    next_gamma_ = gamma;
  }
  void discount(double factor);
  void draw(Rng& rng, std::span<Index> batch);
  void observe(std::span<const Index> drawn, std::span<const double> losses);
  void learn_from(std::span<const Index> drawn, std::span<const double> losses,
                  std::span<const double> probabilities);

  void save(std::ostream& out) const;
  static std::unique_ptr<Impl> load(std::istream& in);

 private:
  friend class AdaptiveSampler;

  // After all log-weights have changed.
  void follow_new_weights();
  void draw_from_subset(Rng& rng, std::span<Index> batch);
  void find_row_weights(std::span<const Index> drawn);
  void learn(std::span<const Index> drawn, std::span<const double> losses,
             std::span<const double> probabilities);
  void move_weights(std::span<const Index> drawn);

  std::size_t tail_size_;
  AdaptiveSamplerOptions options_;
  double next_gamma_;  // from the next draw on
  StepRule rule_;

  // The last batch drawn and its marginals, which `observe` need not compute again.
  std::vector<Index> last_drawn_;
  std::vector<double> last_marginals_;

  // Scratch of `observe`.
  std::vector<double> probabilities_, row_weights_, sizes_, steps_, before_, after_;
};

TailDistribution::TailDistribution(std::size_t size, const Scale& scale,
                                   std::shared_ptr<const WeightClasses> weights, double gamma)
    : size_(size),
      weights_(std::move(weights)),
      total_(scale.total),
      target_(scale.target),
      is_uniform_(scale.is_uniform) {
  mix(gamma);
}

TailDistribution::Scale TailDistribution::scale(std::size_t size, double alpha) {
  const std::size_t tail = tail_size_of(size, alpha);
  return {.total = static_cast<double>(size),
          .target = static_cast<double>(tail),
          .is_uniform = tail == size};
}

TailDistribution::Scale TailDistribution::weighted_scale(std::size_t size, double alpha,
                                                         double total) {
  return {.total = total,
          .target = alpha * total,
          .is_uniform = size == 1 || alpha * (1.0 + 1e-12) >= 1.0};
}

void AdaptiveSampler::Impl::adopt(LogWeightBuckets buckets) {
  buckets_.emplace(std::move(buckets));
  follow_new_weights();
}

void AdaptiveSampler::Impl::discount(double factor) {
  buckets_->multiply(factor);
  follow_new_weights();
}

void AdaptiveSampler::Impl::follow_new_weights() {
  if (options_.marginals == Marginals::exact) exact_.emplace(*buckets_, tail_size_);
  proposals_stale_ = true;
  last_drawn_.clear();
}

void TailDistribution::to_marginals(std::span<double> z) const {
  if (exact_) {
    exact_->marginals(z);
  } else {
    portable::sigmoid_in_place(z);
  }
}

void TailDistribution::find_marginals(std::span<const Index> drawn,
                                      std::span<double> marginals) const {
  if (uniform()) {
    std::ranges::fill(marginals, 1.0);
    return;
  }
  const double nu = tilt();
  std::ranges::transform(drawn, marginals.begin(),
                         [&](Index i) { return buckets_->log_weight(i) + nu; });
  to_marginals(marginals);
}

void TailDistribution::build_proposals() {
  const std::size_t bins = buckets_->bin_count();
  bounds_.resize(bins + 1);
  masses_.resize(bins + 1);
  const auto bounds = std::span(bounds_).first(bins);
  const auto masses = std::span(masses_).first(bins);
  if (exact_) {
    exact_->bound_marginals(*buckets_, bounds, masses);
  } else {
    buckets_->bound_marginals(bounds, masses);
  }
  // The uniform part is one more bin whose items are always accepted, or with row weights by their
  // weight. Since the marginals of all rows sum to the target, a mass of gamma * target / (1 -
  // gamma) for all rows gives it a share of gamma among the accepted.
  bounds_[bins] = 0.0;
  if (gamma_ < 1.0) {
    const double mass = weights_ != nullptr ? weights_->mass() : static_cast<double>(size_);
    masses_[bins] = gamma_ * target_ / (1.0 - gamma_);
    masses_[bins] *= mass / total_;
  } else {
    std::ranges::fill(masses, 0.0);
    masses_[bins] = 1.0;
  }
  proposals_.build(masses_);
  proposals_stale_ = false;
}

void TailDistribution::mix(double gamma) {
  gamma_ = gamma;
  tail_share_ = (1.0 - gamma) / target_;
  uniform_share_ = gamma / total_;
  proposals_stale_ = true;
}

void AdaptiveSampler::Impl::draw(Rng& rng, std::span<Index> batch) {
  // Takes over the gamma that was set.
  if (next_gamma_ != options_.gamma) mix(options_.gamma = next_gamma_);
  if (uniform()) {
    draw_uniform(rng, batch);
  } else if (options_.batches == Batches::subset) {
    draw_from_subset(rng, batch);
  } else {
    last_drawn_.clear();
    last_marginals_.resize(batch.size());
    draw_iid(rng, batch, last_marginals_);
    last_drawn_.assign(batch.begin(), batch.end());
  }
}

void TailDistribution::draw_uniform(Rng& rng, std::span<Index> batch) const {
  for (Index& i : batch) {
    i = weights_ != nullptr ? weights_->draw(rng) : rng.below(static_cast<std::uint32_t>(size_));
  }
}

void TailDistribution::draw_iid(Rng& rng, std::span<Index> batch, std::span<double> marginals) {
  if (proposals_stale_) build_proposals();
  for (std::size_t start = 0; start < batch.size(); start += kGroup) {
    const std::size_t count = std::min(kGroup, batch.size() - start);
    const auto out = batch.subspan(start, count);
    const auto part = marginals.subspan(start, count);
    if (weights_ != nullptr) {
      draw_group<true>(rng, out, part);
    } else {
      draw_group<false>(rng, out, part);
    }
  }
}

// Rejection sampling of all open slots at once: each pass only touches memory prefetched by the
// pass before.
template <bool Weighted>
void TailDistribution::draw_group(Rng& caller_rng, std::span<Index> out,
                                  std::span<double> marginals) {
  Rng rng = caller_rng;  // a copy can stay in registers
  std::array<std::uint32_t, kGroup> places;
  std::array<std::uint32_t, kGroup> bins;
  std::array<const Index*, kGroup> slots;
  std::array<Index, kGroup> uniform_items;
  std::array<double, kGroup> thresholds;
  [[maybe_unused]] std::array<double, Weighted ? kGroup : 1> missing_weights;
  [[maybe_unused]] std::array<WeightClasses::Place, Weighted ? kGroup : 1> proposed;
  std::array<double, kGroup> values;
  std::size_t open = out.size();
  for (std::size_t a = 0; a < open; ++a) places[a] = static_cast<std::uint32_t>(a);
  const std::size_t uniform_bin = buckets_->bin_count();
  const double nu = tilt();
  for (std::size_t round = 0; open > 0; ++round) {
    if (round > kMostRounds)
      throw NumericalError(
          "internal error: drawing from the sampler did not succeed; please report it");
    for (std::size_t a = 0; a < open; ++a) values[a] = rng.uniform();
    proposals_.pick(std::span(values).first(open), std::span(bins).first(open));
    for (std::size_t a = 0; a < open; ++a) {
      const std::size_t bin = bins[a];
      if constexpr (Weighted) {
        const double uniform = rng.uniform();
        if (bin == uniform_bin) {
          const WeightedSlot row = weights_->propose(uniform);
          slots[a] = row.row;
          missing_weights[a] = row.least_weight;
        } else {
          proposed[a] = buckets_->propose(bin, uniform);
        }
      } else if (bin == uniform_bin) {
        uniform_items[a] = rng.below(static_cast<std::uint32_t>(size_));
        slots[a] = &uniform_items[a];
      } else {
        slots[a] = buckets_->slot_address(bin, rng.below(buckets_->list_size(bin)));
      }
      if constexpr (!Weighted) __builtin_prefetch(slots[a]);
      thresholds[a] = bin == uniform_bin ? -1.0 : rng.uniform() * bounds_[bin];
    }
    if constexpr (Weighted) {
      for (std::size_t a = 0; a < open; ++a) {
        if (bins[a] != uniform_bin) {
          slots[a] = buckets_->slot_address(proposed[a]);
          missing_weights[a] = proposed[a].least_weight;
        }
        __builtin_prefetch(slots[a]);
      }
    }
    for (std::size_t a = 0; a < open; ++a) buckets_->prefetch(*slots[a]);
    for (std::size_t a = 0; a < open; ++a) {
      values[a] = buckets_->log_weight(*slots[a]) + nu;
      if constexpr (Weighted) missing_weights[a] -= buckets_->weight(*slots[a]);
    }
    to_marginals(std::span(values).first(open));
    std::size_t still_open = 0;
    for (std::size_t a = 0; a < open; ++a) {
      const std::uint32_t place = places[a];
      out[place] = *slots[a];
      marginals[place] = values[a];
      places[still_open] = place;
      bool accepted = values[a] > thresholds[a];
      if constexpr (Weighted) accepted &= missing_weights[a] < 0.0;
      still_open += accepted ? 0 : 1;
    }
    open = still_open;
  }
  caller_rng = rng;
}

// Draws one k-subset for the batch, and members uniformly from it. Cost: O(N).
void AdaptiveSampler::Impl::draw_from_subset(Rng& rng, std::span<Index> batch) {
  std::vector<double> log_weights(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    log_weights[i] = buckets_->log_weight(static_cast<Index>(i));
  }
  std::vector<Index> subset(tail_size_);
  KSubsetSampler(log_weights, tail_size_, buckets_->tilt()).draw(rng, subset);
  for (Index& i : batch) {
    const bool from_all = options_.gamma > 0.0 && rng.uniform() < options_.gamma;
    i = from_all ? rng.below(static_cast<std::uint32_t>(size_))
                 : subset[rng.below(static_cast<std::uint32_t>(tail_size_))];
  }
}

void AdaptiveSampler::Impl::observe(std::span<const Index> drawn, std::span<const double> losses) {
  check_batch(drawn, losses, size_);
  if (drawn.empty()) return;
  if (!std::ranges::equal(drawn, last_drawn_)) {
    last_drawn_.clear();
    last_marginals_.resize(drawn.size());
    find_marginals(drawn, last_marginals_);
  }
  find_row_weights(drawn);
  probabilities_.resize(drawn.size());
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    probabilities_[j] = mixed(weights_ != nullptr ? row_weights_[j] : 1.0, last_marginals_[j]);
  }
  learn(drawn, losses, probabilities_);
}

void AdaptiveSampler::Impl::learn_from(std::span<const Index> drawn, std::span<const double> losses,
                                       std::span<const double> probabilities) {
  if (drawn.empty()) return;
  find_row_weights(drawn);
  learn(drawn, losses, probabilities);
}

void AdaptiveSampler::Impl::learn(std::span<const Index> drawn, std::span<const double> losses,
                                  std::span<const double> probabilities) {
  steps_.resize(drawn.size());
  rule_.steps(losses, probabilities, sizes_, steps_);
  last_drawn_.clear();
  if (!uniform()) move_weights(drawn);
}

// The row weights of a batch and W / w; both are empty without row weights.
void AdaptiveSampler::Impl::find_row_weights(std::span<const Index> drawn) {
  if (weights_ == nullptr) return;
  row_weights_.resize(drawn.size());
  sizes_.resize(drawn.size());
  for (std::size_t j = 0; j < drawn.size(); ++j) row_weights_[j] = row_weight(drawn[j]);
  for (std::size_t j = 0; j < drawn.size(); ++j) sizes_[j] = total_ / row_weights_[j];
}

void AdaptiveSampler::Impl::move_weights(std::span<const Index> drawn) {
  for (const Index i : drawn) buckets_->prefetch(i);
  before_.resize(drawn.size());
  after_.resize(drawn.size());
  buckets_->add(drawn, steps_, before_, after_);
  if (exact_) {
    for (std::size_t j = 0; j < drawn.size(); ++j) exact_->replace(before_[j], after_[j]);
  }
  // Change of sum w p at the old tilt, for a first guess of the new one.
  const double nu = buckets_->tilt();
  for (double& x : before_) x += nu;
  for (double& x : after_) x += nu;
  portable::sigmoid_in_place(before_);
  portable::sigmoid_in_place(after_);
  double change = 0.0;
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    const double step = after_[j] - before_[j];
    change += weights_ != nullptr ? row_weights_[j] * step : step;
  }
  const double shift = buckets_->solve_tilt(change);
  if (exact_) exact_->settle(*buckets_, shift);
  proposals_stale_ = true;
}

void AdaptiveSampler::Impl::save(std::ostream& out) const {
  StateWriter writer(kStateKind, weights_ != nullptr ? kWeightedStateVersion : kStateVersion);
  writer.put(static_cast<std::uint64_t>(size_));
  const AdaptiveSamplerOptions& o = options_;
  writer.put(o.alpha);
  writer.put(o.estimator);
  writer.put(static_cast<std::uint8_t>(o.eta.has_value()));
  writer.put(o.eta.value_or(0.0));
  writer.put(o.eta_scale.value_or(1.0));
  writer.put(o.schedule);
  writer.put(o.horizon);
  writer.put(next_gamma_);
  writer.put(o.epsilon);
  writer.put(o.scale);
  writer.put(o.loss_scale);
  writer.put(o.marginals);
  writer.put(o.batches);
  if (weights_ != nullptr) weights_->save(writer);
  rule_.save(writer);
  if (buckets_) buckets_->save(writer);
  if (exact_) exact_->save(writer);
  writer.write_to(out);
}

namespace {

AdaptiveSamplerOptions read_options(StateReader& reader) {
  AdaptiveSamplerOptions o;
  o.alpha = reader.get<double>();
  o.estimator = reader.get<Estimator>();
  const bool has_eta = reader.get<std::uint8_t>() != 0;
  const auto eta = reader.get<double>();
  if (has_eta) o.eta = eta;
  o.eta_scale = reader.get<double>();
  o.schedule = reader.get<EtaSchedule>();
  o.horizon = reader.get<std::uint64_t>();
  o.gamma = reader.get<double>();
  o.epsilon = reader.get<double>();
  o.scale = reader.get<LossScale>();
  o.loss_scale = reader.get<double>();
  o.marginals = reader.get<Marginals>();
  o.batches = reader.get<Batches>();
  try {
    check_options(o);
    check_combination(o, reader.version() == kWeightedStateVersion);
  } catch (const OptionError& error) {
    reader.require(false, error.what());
  }
  return o;
}

std::shared_ptr<const WeightClasses> read_weights(StateReader& reader, std::size_t size) {
  return reader.version() == kWeightedStateVersion ? WeightClasses::load(reader, size) : nullptr;
}

}  // namespace

std::unique_ptr<AdaptiveSampler::Impl> AdaptiveSampler::Impl::load(std::istream& in) {
  StateReader reader(in, kStateKind, kStateVersion, kWeightedStateVersion);
  const auto size = reader.get<std::uint64_t>();
  reader.require(size >= 1 && size <= kMaxSize, "its size is out of range");
  const AdaptiveSamplerOptions options = read_options(reader);
  auto impl = std::make_unique<Impl>(size, options, read_weights(reader, size));
  impl->rule_.load(reader);
  if (!impl->uniform()) {
    impl->adopt(LogWeightBuckets::load(reader, size, impl->target_, impl->weights_));
    if (impl->exact_) impl->exact_->load(reader);
  }
  reader.finish();
  return impl;
}

AdaptiveSampler::AdaptiveSampler(std::size_t size, const AdaptiveSamplerOptions& options,
                                 std::span<const double> weights) {
  check_size(size);
  check_options(options);
  check_combination(options, !weights.empty());
  std::shared_ptr<const WeightClasses> classes;
  if (!weights.empty()) {
    check_weight_count(weights.size(), size);
    classes = std::make_shared<const WeightClasses>(weights);
  }
  impl_ = std::make_unique<Impl>(size, options, std::move(classes));
  if (!impl_->uniform()) {
    impl_->adopt(LogWeightBuckets(size, impl_->target_, impl_->weights_));
  }
}

AdaptiveSampler::AdaptiveSampler(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
AdaptiveSampler::AdaptiveSampler(const AdaptiveSampler& other)
    : impl_(std::make_unique<Impl>(*other.impl_)) {}
AdaptiveSampler::AdaptiveSampler(AdaptiveSampler&& other) noexcept = default;
AdaptiveSampler& AdaptiveSampler::operator=(const AdaptiveSampler& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
AdaptiveSampler& AdaptiveSampler::operator=(AdaptiveSampler&& other) noexcept = default;
AdaptiveSampler::~AdaptiveSampler() = default;

std::size_t AdaptiveSampler::size() const noexcept { return impl_->size_; }
std::size_t AdaptiveSampler::tail_size() const noexcept { return impl_->tail_size_; }
const AdaptiveSamplerOptions& AdaptiveSampler::options() const noexcept { return impl_->options_; }
double AdaptiveSampler::baseline() const noexcept { return impl_->rule_.baseline(); }
double AdaptiveSampler::scale() const noexcept { return impl_->rule_.scale(); }
double AdaptiveSampler::eta() const noexcept { return impl_->rule_.eta(); }

double AdaptiveSampler::probability(Index i) const {
  check_index(i, size());
  double marginal = 0.0;
  impl_->find_marginals(std::span(&i, 1), std::span(&marginal, 1));
  return impl_->mixed(impl_->row_weight(i), marginal);
}

std::vector<double> AdaptiveSampler::probabilities() const {
  std::vector<double> result(size());
  std::array<Index, 1024> indices;
  for (std::size_t start = 0; start < result.size(); start += indices.size()) {
    const auto part = std::span(result).subspan(start, std::min(indices.size(), size() - start));
    for (std::size_t j = 0; j < part.size(); ++j) indices[j] = static_cast<Index>(start + j);
    impl_->find_marginals(std::span(indices).first(part.size()), part);
    for (std::size_t j = 0; j < part.size(); ++j) {
      part[j] = impl_->mixed(impl_->row_weight(indices[j]), part[j]);
    }
  }
  return result;
}

void AdaptiveSampler::draw(Rng& rng, std::span<Index> batch) { impl_->draw(rng, batch); }

void AdaptiveSampler::observe(std::span<const Index> drawn, std::span<const double> losses) {
  impl_->observe(drawn, losses);
}

void AdaptiveSampler::observe(std::span<const Index> drawn, std::span<const double> losses,
                              std::span<const double> probabilities) {
  check_batch(drawn, losses, size());
  if (probabilities.size() != drawn.size()) {
    throw OptionError(fmt::format("probabilities has {} values, drawn has {}", probabilities.size(),
                                  drawn.size()));
  }
  constexpr Bounds kBounds{.low = 0, .high = 1, .low_ok = false};
  for (std::size_t j = 0; j < probabilities.size(); ++j) {
    if (!kBounds.contains(probabilities[j])) {
      check_range(fmt::format("probabilities[{}]", j), probabilities[j], kBounds);
    }
  }
  impl_->learn_from(drawn, losses, probabilities);
}

double AdaptiveSampler::log_weight(Index i) const {
  check_index(i, size());
  return impl_->uniform() ? 0.0 : impl_->buckets_->log_weight(i);
}

void AdaptiveSampler::set_log_weights(std::span<const double> log_weights) {
  if (log_weights.size() != size()) {
    throw OptionError(
        fmt::format("log_weights has {} values, the sampler {}", log_weights.size(), size()));
  }
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    if (!std::isfinite(log_weights[i])) {
      throw DataError(
          fmt::format("log_weights[{}] = {} is not finite", i, printable(log_weights[i])));
    }
  }
  if (!impl_->uniform()) {
    impl_->adopt(LogWeightBuckets(log_weights, impl_->target_, impl_->weights_));
  }
}

void AdaptiveSampler::discount(double factor) {
  check_range("factor", factor, {.low = 0, .high = 1});
  if (factor < 1.0 && !impl_->uniform()) impl_->discount(factor);
}

void AdaptiveSampler::set_gamma(double gamma) { impl_->set_gamma(gamma); }

void AdaptiveSampler::save(std::ostream& out) const { impl_->save(out); }

AdaptiveSampler AdaptiveSampler::load(std::istream& in) { return AdaptiveSampler(Impl::load(in)); }

std::size_t AdaptiveSampler::memory_bytes() const noexcept {
  return sizeof(*impl_) + (impl_->buckets_ ? impl_->buckets_->memory_bytes() : 0) +
         (impl_->weights_ != nullptr ? impl_->weights_->memory_bytes() : 0);
}

}  // namespace adacvar
