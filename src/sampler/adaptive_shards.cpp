#include <adacvar/base/error.hpp>

#include "base/portable_math.hpp"
#include "base/state_stream.hpp"
#include "sampler/check_batch.hpp"
#include "sampler/shard_picker.hpp"
#include "sampler/shard_weights.hpp"
#include "sampler/sharded_sampler.hpp"
#include "sampler/step_rule.hpp"
#include "sampler/tail_distribution.hpp"
#include "sampler/tilt_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace adacvar {

namespace {

// The search doubles its steps until the root is between two: far fewer for any log-weights.
constexpr int kMostRounds = 1000;

// The rows of one shard. The tilt, which all shards have in common, is handed in.
class AdaptiveShard : public TailDistribution {
 public:
  AdaptiveShard(std::size_t size, const Scale& scale, std::shared_ptr<const WeightClasses> weights,
                double gamma, Rng rng)
      : TailDistribution(size, scale, std::move(weights), gamma), rng_(rng) {
    const double own = weights_ != nullptr ? weights_->total() : static_cast<double>(size);
    own_target_ = own * (scale.target / scale.total);
    if (!uniform()) buckets_.emplace(size, own_target_, weights_);
  }

  void draw(std::span<Index> rows) {
    if (uniform()) {
      draw_uniform(rng_, rows);
    } else {
      marginals_.resize(rows.size());
      draw_iid(rng_, rows, marginals_);
    }
  }

  [[nodiscard]] double log_weight(Index i) const { return buckets_->log_weight(i); }

  void add(std::span<const Index> rows, std::span<const double> steps) {
    before_.resize(rows.size());
    after_.resize(rows.size());
    buckets_->add(rows, steps, before_, after_);
  }
  void multiply(double factor) { buckets_->scale(factor); }
  [[nodiscard]] TiltSums sums_at(double tilt) { return buckets_->sums_at(tilt); }
  void set_tilt(double tilt) {
    buckets_->set_tilt(tilt);
    proposals_stale_ = true;
  }
  void subtract(double shift) { buckets_->subtract(shift); }

  void save(std::ostream& out) const {
    rng_.save(out);
    if (uniform()) return;
    StateWriter writer(kStateKind, 1);
    writer.put(static_cast<std::uint64_t>(size_));
    buckets_->save(writer);
    writer.write_to(out);
  }
  void load(std::istream& in) {
    rng_ = Rng::load(in);
    if (uniform()) return;
    StateReader reader(in, kStateKind, 1);
    reader.require(reader.get<std::uint64_t>() == size_, "a shard has other rows");
    buckets_.emplace(LogWeightBuckets::load(reader, size_, own_target_, weights_));
    reader.finish();
    proposals_stale_ = true;
  }

 private:
  static constexpr std::string_view kStateKind = "ACVRLOGW";

  Rng rng_;
  double own_target_;  // the tail of this shard's rows, were all log-weights equal
  std::vector<double> marginals_, before_, after_;  // scratch
};

class AdaptiveShards final : public ShardedSampler {
 public:
  AdaptiveShards(Communicator& ranks, ShardLayout rows, const AdaptiveSamplerOptions& options,
                 std::span<const double> weights, const std::optional<ShardWeights>& sums,
                 std::uint64_t seed);

  void observe(std::span<const double> losses) override;
  void set_gamma(double gamma) override {
    check_range("gamma", gamma, {.low = 0, .high = 1});
    next_gamma_ = gamma;
  }
  void discount(double factor) override;
  [[nodiscard]] double probability(const ShardedRow& row) const override;

  void save_shared(StateWriter& writer) const override;
  void load_shared(StateReader& reader) override;
  void save_shard(std::size_t own, std::ostream& out) const override {
    if (shards_[own]) shards_[own]->save(out);
  }
  void load_shard(std::size_t own, std::istream& in) override {
    if (shards_[own]) shards_[own]->load(in);
  }

 private:
  // What all ranks must know of a row drawn.
  struct Slot {
    double log_weight = 0.0;
    double weight = 1.0;
  };

  void begin_draw(std::size_t slots) override;
  std::size_t pick_shard(Rng& rng) override { return picker_.pick(rng); }
  void draw_rows(std::size_t own, std::span<Index> rows) override { shards_[own]->draw(rows); }
  [[nodiscard]] std::size_t row_bytes() const override {
    return (uniform() ? 0 : sizeof(double)) + (weighted_ ? sizeof(double) : 0);
  }
  void write_row(std::size_t own, Index row, MessageWriter& to) const override;
  void read_row(std::size_t slot, MessageReader& from) override;

  [[nodiscard]] bool uniform() const noexcept { return scale_.is_uniform; }
  void mix(double gamma);
  void find_probabilities();
  [[nodiscard]] double guess_tilt() const;
  void move_weights();
  void solve_tilt(double guess);
  TiltSums gather_sums(double tilt);
  void recentre();

  bool weighted_;
  std::vector<double> row_masses_;  // rows of every shard, or the sum of their weights
  TailDistribution::Scale scale_;
  double gamma_ = 0;
  double next_gamma_;  // from the next draw on
  StepRule rule_;
  std::vector<std::optional<AdaptiveShard>> shards_;  // own; none: no rows

  // The same on all ranks.
  double tilt_ = 0.0;
  double variance_ = 0.0;            // sum w p (1 - p) of all rows
  std::vector<TiltSums> sums_;       // of every shard
  std::vector<double> tail_masses_;  // sum w p of every shard at the tilt
  ShardPicker picker_;
  bool picker_stale_ = true;

  // The last batch.
  std::vector<Slot> slots_;
  std::vector<double> probabilities_, sizes_, steps_;

  // Scratch.
  std::size_t most_shards_ = 0;  // of a rank
  std::vector<TiltSums> own_sums_;
  std::vector<TiltSums> all_sums_;
  std::vector<double> own_steps_;
  std::vector<Index> own_rows_;
};

AdaptiveShards::AdaptiveShards(Communicator& ranks, ShardLayout rows,
                               const AdaptiveSamplerOptions& options,
                               std::span<const double> weights,
                               const std::optional<ShardWeights>& sums, std::uint64_t seed)
    : ShardedSampler(ranks, std::move(rows)),
      weighted_(sums.has_value()),
      row_masses_(sums ? sums->sums
                       : std::vector<double>(layout().sizes.begin(), layout().sizes.end())),
      scale_(sums ? TailDistribution::weighted_scale(layout().rows, options.alpha, sums->total)
                  : TailDistribution::scale(layout().rows, options.alpha)),
      next_gamma_(options.gamma),
      rule_(layout().rows, options),
      sums_(layout().shards()),
      tail_masses_(row_masses_) {
  for (std::size_t s = 0, own = 0; s < layout().shards(); ++s) {
    own = s > 0 && layout().owner[s] == layout().owner[s - 1] ? own + 1 : 1;
    most_shards_ = std::max(most_shards_, own);
  }
  for (std::size_t own = 0; own < layout().own(); ++own) {
    const std::size_t shard = layout().first + own;
    const std::size_t count = layout().sizes[shard];
    shards_.emplace_back();
    if (count == 0) continue;
    std::shared_ptr<const WeightClasses> classes;
    if (weighted_) {
      classes = std::make_shared<const WeightClasses>(weights.subspan(layout().start[own], count),
                                                      sums->exponent);
    }
    shards_.back().emplace(count, scale_, std::move(classes), options.gamma,
                           Rng(seed, kShardStreams + shard));
  }
  mix(options.gamma);
  if (uniform()) return;
  const double share = scale_.target / scale_.total;
  solve_tilt(portable::log(share / (1.0 - share)));
}

void AdaptiveShards::mix(double gamma) {
  gamma_ = gamma;
  for (auto& shard : shards_) {
    if (shard) shard->mix(gamma);
  }
  picker_stale_ = true;
}

void AdaptiveShards::begin_draw(std::size_t slots) {
  slots_.resize(slots);
  if (next_gamma_ != gamma_) mix(next_gamma_);
  if (!picker_stale_) return;
  // What is less than the tolerance of their sum may be rounding errors, of rows without a chance.
  const double least = uniform() ? 0.0 : TiltSearch::kTolerance * scale_.target;
  std::vector<double> masses(layout().shards());
  for (std::size_t s = 0; s < masses.size(); ++s) {
    const double tail = uniform() ? row_masses_[s] / scale_.total : tail_masses_[s] / scale_.target;
    masses[s] = (tail_masses_[s] > least ? (1.0 - gamma_) * tail : 0.0) +
                gamma_ * row_masses_[s] / scale_.total;
  }
  picker_.build(masses);
  picker_stale_ = false;
}

void AdaptiveShards::write_row(std::size_t own, Index row, MessageWriter& to) const {
  if (!uniform()) to.put(shards_[own]->log_weight(row));
  if (weighted_) to.put(shards_[own]->row_weight(row));
}

void AdaptiveShards::read_row(std::size_t slot, MessageReader& from) {
  slots_[slot] = {};
  if (!uniform()) slots_[slot].log_weight = from.get<double>();
  if (weighted_) slots_[slot].weight = from.get<double>();
}

double AdaptiveShards::probability(const ShardedRow& row) const {
  const AdaptiveShard& shard = *shards_[row.shard - layout().first];
  double marginal = 0.0;
  shard.find_marginals(std::span(&row.row, 1), std::span(&marginal, 1));
  return shard.mixed(shard.row_weight(row.row), marginal);
}

// Every rank steps the same rule.
void AdaptiveShards::observe(std::span<const double> losses) {
  if (losses.empty()) return;
  find_probabilities();
  steps_.resize(losses.size());
  rule_.steps(losses, probabilities_, sizes_, steps_);
  if (!uniform()) move_weights();
}

void AdaptiveShards::find_probabilities() {
  probabilities_.assign(slots_.size(), 1.0);
  if (!uniform()) {
    std::ranges::transform(slots_, probabilities_.begin(),
                           [this](const Slot& slot) { return slot.log_weight + tilt_; });
    portable::sigmoid_in_place(probabilities_);
  }
  if (weighted_) sizes_.resize(slots_.size());
  const double tail_share = (1.0 - gamma_) / scale_.target;
  const double uniform_share = gamma_ / scale_.total;
  for (std::size_t j = 0; j < slots_.size(); ++j) {
    const double weight = slots_[j].weight;
    probabilities_[j] = weighted_ && uniform()
                            ? weight / scale_.total
                            : weight * (tail_share * probabilities_[j] + uniform_share);
    if (weighted_) sizes_[j] = scale_.total / weight;
  }
}

void AdaptiveShards::move_weights() {
  const double guess = guess_tilt();
  for (std::size_t own = 0; own < shards_.size(); ++own) {
    own_rows_.clear();
    own_steps_.clear();
    for (const std::size_t slot : slots_of(own)) {
      own_rows_.push_back(drawn()[slot].row);
      own_steps_.push_back(steps_[slot]);
    }
    if (!own_rows_.empty()) shards_[own]->add(own_rows_, own_steps_);
  }
  solve_tilt(guess);
}

// A Newton step by the change of sum w p at the old tilt, which all ranks know. Repeated rows are
// taken as if their steps were of different ones: it is only a guess.
double AdaptiveShards::guess_tilt() const {
  double change = 0.0;
  for (std::size_t j = 0; j < slots_.size(); ++j) {
    const double z = slots_[j].log_weight + tilt_;
    change += slots_[j].weight * (portable::sigmoid(z + steps_[j]) - portable::sigmoid(z));
  }
  return variance_ > 0.0 ? tilt_ + std::clamp(-change / variance_, -1.0, 1.0) : tilt_;
}

void AdaptiveShards::discount(double factor) {
  check_range("factor", factor, {.low = 0, .high = 1});
  if (factor == 1.0 || uniform()) return;
  for (auto& shard : shards_) {
    if (shard) shard->multiply(factor);
  }
  solve_tilt(tilt_ * factor);  // the border of the tail moves with the log-weights
}

// Every rank takes the same steps, from sums in the order of the shards.
void AdaptiveShards::solve_tilt(double guess) {
  TiltSearch search(scale_.target, 2.0);
  double tilt = guess;
  TiltSums sums;
  bool is_last = false;
  for (int round = 0; !is_last; ++round) {
    if (round == kMostRounds) {
      throw NumericalError(
          "internal error: the sampler's distribution was not found; please report it");
    }
    sums = gather_sums(tilt);
    is_last = search.step(sums, tilt);
  }
  const double step = search.last_step();
  for (std::size_t s = 0; s < sums_.size(); ++s) tail_masses_[s] = sums_[s].value_after(step);
  variance_ = sums.first + step * sums.second;
  tilt_ = tilt;
  if (std::abs(tilt_) > LogWeightBuckets::kMaxTilt) recentre();
  for (auto& shard : shards_) {
    if (shard) shard->set_tilt(tilt_);
  }
  picker_stale_ = true;
}

// Blocks are filled up to that of the rank with the most shards: they need not tell their lengths.
TiltSums AdaptiveShards::gather_sums(double tilt) {
  own_sums_.assign(most_shards_, {});
  for (std::size_t own = 0; own < shards_.size(); ++own) {
    if (shards_[own]) own_sums_[own] = shards_[own]->sums_at(tilt);
  }
  all_sums_.resize(most_shards_ * ranks().size());
  ranks().all_gather(std::as_bytes(std::span<const TiltSums>(own_sums_)),
                     std::as_writable_bytes(std::span(all_sums_)));
  std::size_t place = 0;
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    const std::size_t rank = layout().owner[s];
    if (s == 0 || rank != layout().owner[s - 1]) place = rank * most_shards_;
    sums_[s] = all_sums_[place++];
  }
  TiltSums total;
  for (const TiltSums& sums : sums_) total += sums;
  return total;
}

// Subtracts one constant from the log-weights of all shards, see LogWeightBuckets.
void AdaptiveShards::recentre() {
  const double shift = std::floor(-tilt_);
  for (auto& shard : shards_) {
    if (shard) shard->subtract(shift);
  }
  tilt_ += shift;
}

void AdaptiveShards::save_shared(StateWriter& writer) const {
  writer.put(next_gamma_);
  rule_.save(writer);
  writer.put(tilt_);
  writer.put(variance_);
  writer.put_array(std::span<const double>(tail_masses_));
}

void AdaptiveShards::load_shared(StateReader& reader) {
  next_gamma_ = reader.get<double>();
  reader.require(next_gamma_ >= 0 && next_gamma_ <= 1, "its gamma is out of range");
  rule_.load(reader);
  tilt_ = reader.get<double>();
  variance_ = reader.get<double>();
  reader.get_array(std::span(tail_masses_));
  reader.require(
      std::isfinite(tilt_) && std::isfinite(variance_) &&
          std::ranges::all_of(tail_masses_, [](double mass) { return std::isfinite(mass); }) &&
          std::ranges::max(tail_masses_) > 0,
      "its distribution is not finite");
  mix(next_gamma_);
}

void check_supported(const AdaptiveSamplerOptions& options) {
  check_options(options);
  if (options.marginals == Marginals::exact || options.batches == Batches::subset) {
    throw OptionError(
        "marginals = exact and batches = subset are not supported with shards: use marginals = "
        "matched and batches = iid");
  }
}

}  // namespace

std::unique_ptr<ShardedSampler> make_adaptive_shards(Communicator& ranks, ShardLayout layout,
                                                     const AdaptiveSamplerOptions& options,
                                                     std::span<const double> weights, bool weighted,
                                                     std::uint64_t seed) {
  check_supported(options);
  std::optional<ShardWeights> sums;
  if (weighted) sums = sum_shard_weights(ranks, layout, weights);
  return std::make_unique<AdaptiveShards>(ranks, std::move(layout), options, weights, sums, seed);
}

}  // namespace adacvar
