#include "experiment/grid.hpp"

#include <fmt/core.h>

#include <optional>

namespace adacvar {

namespace {

using Configs = std::vector<TrainOptions>;

// Combines every configuration with every value.
template <class Value, class Set>
void cross(Configs& configs, const std::vector<Value>& values, const Set& set) {
  Configs crossed;
  crossed.reserve(configs.size() * values.size());
  for (const TrainOptions& config : configs) {
    for (const Value& value : values) set(crossed.emplace_back(config), value);
  }
  configs = std::move(crossed);
}

TrainOptions base_config(Variant variant, double alpha) {
  TrainOptions options;
  options.alpha = alpha;
  options.epochs = 50;
  options.batch = 64;
  options.decay = 0.1;
  options.decay_every = 20;
  options.optimizer.momentum = 0.9;
  options.iterate = Iterate::last;
  switch (variant) {
    case Variant::gain:
      options.sampler.estimator = Estimator::gain;
      options.sampler.eta_scale = 1.0;
      options.sampler.epsilon = 0.0;
      break;
    case Variant::centred:
      break;
    case Variant::trunc:
      options.algorithm = Algorithm::trunc;
      break;
    case Variant::soft:
      options.algorithm = Algorithm::soft;
      break;
    case Variant::mean:
      options.algorithm = Algorithm::mean;
      break;
  }
  return options;
}

void cross_sampler(Configs& configs, bool whole) {
  using Eta = std::optional<double>;
  const std::vector<Eta> etas = whole ? std::vector<Eta>{1.0, 0.5, 0.1, {}} : std::vector<Eta>{{}};
  const std::vector<double> gammas = whole ? std::vector{0.0, 0.01, 0.1} : std::vector{0.01, 0.1};
  const std::vector<EtaSchedule> schedules =
      whole ? std::vector{EtaSchedule::constant, EtaSchedule::inverse_sqrt, EtaSchedule::adagrad}
            : std::vector{EtaSchedule::constant};
  cross(configs, etas, [](TrainOptions& o, const Eta& eta) { o.sampler.eta = eta; });
  cross(configs, gammas, [](TrainOptions& o, double gamma) { o.exploration = gamma; });
  cross(configs, schedules, [](TrainOptions& o, EtaSchedule s) { o.sampler.schedule = s; });
}

}  // namespace

std::vector<TrainOptions> experiment_grid(Variant variant, GridSize size, double alpha) {
  const bool whole = size == GridSize::paper;
  Configs configs = {base_config(variant, alpha)};
  cross(configs, std::vector{OptimizerKind::sgd, OptimizerKind::adam},
        [](TrainOptions& o, OptimizerKind kind) { o.optimizer.kind = kind; });
  const std::vector<double> rates =
      whole ? std::vector{0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00001}
            : std::vector{0.05, 0.01, 0.005, 0.001};
  cross(configs, rates, [](TrainOptions& o, double rate) { o.learning_rate = rate; });
  const auto batches = whole ? std::vector<std::uint64_t>{64, 128} : std::vector<std::uint64_t>{64};
  cross(configs, batches, [](TrainOptions& o, std::uint64_t batch) { o.batch = batch; });
  if (variant == Variant::soft) {
    cross(configs, std::vector{0.01, 0.1, 1.0},
          [](TrainOptions& o, double temperature) { o.temperature = temperature; });
  } else if (variant == Variant::gain || variant == Variant::centred) {
    cross_sampler(configs, whole);
  }
  return configs;
}

bool is_plain(Variant variant, const TrainOptions& options) {
  const TrainOptions plain = base_config(variant, options.alpha);
  return options.temperature == plain.temperature && options.sampler.eta == plain.sampler.eta &&
         options.exploration == plain.exploration &&
         options.sampler.schedule == plain.sampler.schedule;
}

std::string config_text(const TrainOptions& options) {
  const std::string rate =
      options.learning_rate ? fmt::format("{:g}", *options.learning_rate) : "auto";
  std::string text =
      fmt::format("{} {}, batch {}", options.optimizer.kind == OptimizerKind::adam ? "adam" : "sgd",
                  rate, options.batch > 0 ? std::to_string(options.batch) : "auto");
  if (options.algorithm == Algorithm::soft) {
    text += fmt::format(", T {:g}", options.temperature);
  } else if (options.algorithm == Algorithm::adacvar) {
    constexpr Names kSchedules{"constant", "1/sqrt(t)", "adagrad"};
    const auto& sampler = options.sampler;
    text += fmt::format(", eta {}, gamma {:g}, {}",
                        sampler.eta ? fmt::format("{:g}", *sampler.eta) : "auto",
                        options.exploration, kSchedules.of(sampler.schedule));
  }
  return text;
}

}  // namespace adacvar
