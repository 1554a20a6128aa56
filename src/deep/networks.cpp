#include <adacvar/deep/networks.hpp>

#include "base/did_you_mean.hpp"
#include "base/name_list.hpp"
#include "deep/max_pool.hpp"

#include <fmt/core.h>
#include <torch/nn.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace adacvar {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t kMostUnits = 1'000'000;
constexpr double kVggDropout = 0.5;

/// The shape and options of a network.
struct Plan {
  std::int64_t features = 0;
  ImageShape image = {};
  std::int64_t outputs = 0;
  double width = 1;
  std::optional<double> dropout;
  std::vector<std::int64_t> hidden = {};  ///< widths of mlp

  [[nodiscard]] std::int64_t channels() const { return static_cast<std::int64_t>(image.channels); }
  [[nodiscard]] std::int64_t height() const { return static_cast<std::int64_t>(image.height); }
  [[nodiscard]] std::int64_t image_width() const { return static_cast<std::int64_t>(image.width); }
  /// Scales a number of units or channels by `width`.
  [[nodiscard]] std::int64_t units(std::int64_t full) const {
    return std::max<std::int64_t>(1, std::llround(width * static_cast<double>(full)));
  }
};

nn::Conv2d convolution(const nn::Conv2dOptions& options) {
  nn::Conv2d layer(options);
  nn::init::kaiming_normal_(layer->weight, 0, torch::kFanOut, torch::kReLU);
  if (layer->bias.defined()) nn::init::zeros_(layer->bias);
  return layer;
}

// clone() rebuilds these modules by reset(), so all submodules are registered there. Not derived
// from BatchNorm2dImpl, whose clone() would return a plain BatchNorm2d.
class SteadyBatchNormImpl : public nn::Cloneable<SteadyBatchNormImpl> {
 public:
  explicit SteadyBatchNormImpl(std::int64_t channels) : channels_(channels) { build(); }
  void reset() override { build(); }

  torch::Tensor forward(const torch::Tensor& input) {
    // A single value has no variance: torch would throw.
    if (!is_training() || input.numel() > input.size(1)) return norm_->forward(input);
    return torch::batch_norm(input, norm_->weight, norm_->bias, norm_->running_mean,
                             norm_->running_var, /*training=*/false, /*momentum=*/0.0,
                             norm_->options.eps(), at::globalContext().userEnabledCuDNN());
  }

 private:
  void build() { norm_ = register_module("norm", nn::BatchNorm2d(channels_)); }

  std::int64_t channels_;
  nn::BatchNorm2d norm_{nullptr};
};
TORCH_MODULE(SteadyBatchNorm);

class MaxPoolByTwoImpl : public nn::Cloneable<MaxPoolByTwoImpl> {
 public:
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& input) { return max_pool_by_two(input); }
};
TORCH_MODULE(MaxPoolByTwo);

/// Two 3x3 convolutions with a shortcut connection [HZRS16].
class ResidualBlockImpl : public nn::Cloneable<ResidualBlockImpl> {
 public:
  ResidualBlockImpl(std::int64_t from, std::int64_t to, std::int64_t stride)
      : from_(from), to_(to), stride_(stride) {
    build();
  }
  void reset() override { build(); }

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor shortcut = shortcut_ ? shortcut_->forward(input) : input;
    return torch::relu(convolutions_->forward(input) + shortcut);
  }

 private:
  void build() {
    convolutions_ = register_module(
        "through",
        nn::Sequential(
            convolution(nn::Conv2dOptions(from_, to_, 3).stride(stride_).padding(1).bias(false)),
            SteadyBatchNorm(to_), nn::ReLU(),
            convolution(nn::Conv2dOptions(to_, to_, 3).padding(1).bias(false)),
            SteadyBatchNorm(to_)));
    if (stride_ == 1 && from_ == to_) return;
    shortcut_ = register_module(
        "around",
        nn::Sequential(convolution(nn::Conv2dOptions(from_, to_, 1).stride(stride_).bias(false)),
                       SteadyBatchNorm(to_)));
  }

  std::int64_t from_, to_, stride_;
  nn::Sequential convolutions_{nullptr};
  nn::Sequential shortcut_{nullptr};
};
TORCH_MODULE(ResidualBlock);

void add_dropout(nn::Sequential& layers, double share) {
  if (share > 0) layers->push_back(nn::Dropout(share));
}

/// Linear layers of these widths, each with ReLU and dropout, then the outputs.
void add_head(nn::Sequential& layers, std::int64_t inputs, const std::vector<std::int64_t>& widths,
              double dropout, std::int64_t outputs) {
  for (const std::int64_t width : widths) {
    layers->push_back(nn::Linear(inputs, width));
    layers->push_back(nn::ReLU());
    add_dropout(layers, dropout);
    inputs = width;
  }
  layers->push_back(nn::Linear(inputs, outputs));
}

nn::Sequential make_mlp(const Plan& plan) {
  std::vector<std::int64_t> widths;
  for (const std::int64_t full : plan.hidden) widths.push_back(plan.units(full));
  nn::Sequential layers;
  add_head(layers, plan.features, widths, plan.dropout.value_or(0), plan.outputs);
  return layers;
}

/// The two variants differ in `padding` of the first convolution and `stride` of the pooling.
nn::Sequential make_lenet(const Plan& plan, std::int64_t padding, std::int64_t stride) {
  const std::int64_t first = plan.units(6);
  const std::int64_t second = plan.units(16);
  const auto side_after = [&](std::int64_t side) {
    const auto pooled = [&](std::int64_t before) { return (before - 2) / stride + 1; };
    return pooled(pooled(side + 2 * padding - 4) - 4);
  };
  nn::Sequential layers;
  const auto add = [&](const nn::Conv2dOptions& options) {
    layers->push_back(convolution(options));
    if (stride == 2) {
      layers->push_back(MaxPoolByTwo());
    } else {
      layers->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(stride)));
    }
    layers->push_back(nn::ReLU());  // the same before or after the maximum; fewer pixels here
  };
  add(nn::Conv2dOptions(plan.channels(), first, 5).padding(padding));
  add(nn::Conv2dOptions(first, second, 5));
  layers->push_back(nn::Flatten());
  add_head(layers, second * side_after(plan.height()) * side_after(plan.image_width()),
           {plan.units(120), plan.units(84)}, plan.dropout.value_or(0), plan.outputs);
  return layers;
}

nn::Sequential make_resnet18(const Plan& plan) {
  std::int64_t from = plan.units(64);
  nn::Sequential layers(
      convolution(nn::Conv2dOptions(plan.channels(), from, 3).padding(1).bias(false)),
      SteadyBatchNorm(from), nn::ReLU());
  for (const std::int64_t full : {64, 128, 256, 512}) {
    const std::int64_t to = plan.units(full);
    layers->push_back(ResidualBlock(from, to, full == 64 ? 1 : 2));
    layers->push_back(ResidualBlock(to, to, 1));
    from = to;
  }
  layers->push_back(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({1, 1})));
  layers->push_back(nn::Flatten());
  add_dropout(layers, plan.dropout.value_or(0));
  layers->push_back(nn::Linear(from, plan.outputs));
  return layers;
}

nn::Sequential make_vgg16_bn(const Plan& plan) {
  constexpr std::int64_t kPool = 0;
  constexpr std::int64_t kSide = 7;
  nn::Sequential layers;
  std::int64_t from = plan.channels();
  for (const std::int64_t full :
       {64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0}) {
    if (full == kPool) {
      layers->push_back(MaxPoolByTwo());
      continue;
    }
    const std::int64_t to = plan.units(full);
    layers->push_back(convolution(nn::Conv2dOptions(from, to, 3).padding(1)));
    layers->push_back(SteadyBatchNorm(to));
    layers->push_back(nn::ReLU());
    from = to;
  }
  layers->push_back(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({kSide, kSide})));
  layers->push_back(nn::Flatten());
  add_head(layers, from * kSide * kSide, {plan.units(4096), plan.units(4096)},
           plan.dropout.value_or(kVggDropout), plan.outputs);
  return layers;
}

struct Kind {
  std::string_view name;
  std::size_t least_side;  ///< least height and width of images; 0: also for tables
  nn::Sequential (*make)(const Plan&);
};

constexpr Kind kKinds[] = {
    {"mlp", 0, make_mlp},
    {"lenet5", 12, [](const Plan& plan) { return make_lenet(plan, 2, 2); }},
    {"lenet5-paper", 11, [](const Plan& plan) { return make_lenet(plan, 0, 1); }},
    {"resnet18", 1, make_resnet18},
    {"vgg16-bn", 32, make_vgg16_bn},
};

/// Reshapes the input for the layers of a kind.
class LayersImpl : public nn::Cloneable<LayersImpl> {
 public:
  LayersImpl(const Kind& kind, Plan plan) : kind_(&kind), plan_(std::move(plan)) { build(); }
  void reset() override { build(); }

  torch::Tensor forward(const torch::Tensor& rows) {
    if (kind_->least_side == 0) {
      return layers_->forward(rows.reshape({rows.size(0), plan_.features}));
    }
    return layers_->forward(
        rows.reshape({rows.size(0), plan_.channels(), plan_.height(), plan_.image_width()}));
  }

 private:
  void build() { layers_ = register_module("layers", kind_->make(plan_)); }

  const Kind* kind_;
  Plan plan_;
  nn::Sequential layers_{nullptr};
};

/// Parses `64,32`.
std::vector<std::int64_t> parse_widths(const std::string& network, std::string_view text) {
  std::vector<std::int64_t> widths;
  while (true) {
    const std::string_view field = text.substr(0, text.find(','));
    std::int64_t width = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), width);
    if (error != std::errc() || end != field.data() + field.size() || width < 1 ||
        width > kMostUnits) {
      throw OptionError(
          fmt::format("network = '{}' has the width '{}': widths are integers from 1 to 1,000,000, "
                      "separated by commas, as in mlp:64,64",
                      network, field));
    }
    widths.push_back(width);
    if (field.size() == text.size()) return widths;
    text.remove_prefix(field.size() + 1);
  }
}

/// Finds the kind and sets the `widths` of an mlp.
const Kind& find_kind(const std::string& network, std::vector<std::int64_t>& widths) {
  const std::string_view text = network;
  if (text.starts_with("mlp:")) {
    widths = parse_widths(network, text.substr(4));
    return kKinds[0];
  }
  for (const Kind& kind : kKinds) {
    if (kind.name == text) {
      if (kind.make == make_mlp) widths = {64, 64};
      return kind;
    }
  }
  throw OptionError(
      fmt::format("network = '{}' is not one of: {}, or a TorchScript file ending "
                  "in .pt{}",
                  network, name_list(network_names()), did_you_mean(network, network_names())));
}

void check_shape(const Kind& kind, const NetworkShape& shape) {
  const ImageShape& image = shape.image;
  if (shape.features == 0) throw OptionError("a network needs data with at least one feature");
  if (shape.outputs == 0) throw OptionError("a network needs at least one output");
  if (image != ImageShape{} && image.size() != shape.features) {
    throw OptionError(fmt::format("images of {} x {} x {} do not have {} features", image.channels,
                                  image.height, image.width, shape.features));
  }
  if (kind.least_side == 0) return;
  if (image == ImageShape{}) {
    throw OptionError(fmt::format("{} needs images; the data has {} feature{}: use mlp:64,64",
                                  kind.name, shape.features, shape.features == 1 ? "" : "s"));
  }
  if (std::min(image.height, image.width) < kind.least_side) {
    throw OptionError(fmt::format("{} needs images of at least {} x {}; these are {} x {}",
                                  kind.name, kind.least_side, kind.least_side, image.height,
                                  image.width));
  }
}

}  // namespace

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

void check_network_name(const NetworkOptions& options) {
  check_options(options);
  std::vector<std::int64_t> widths;
  (void)find_kind(options.network, widths);
}

torch::nn::AnyModule make_network(const NetworkOptions& options, const NetworkShape& shape) {
  check_options(options);
  Plan plan;
  const Kind& kind = find_kind(options.network, plan.hidden);
  check_shape(kind, shape);
  plan.features = static_cast<std::int64_t>(shape.features);
  plan.image = shape.image;
  plan.outputs = static_cast<std::int64_t>(shape.outputs);
  plan.width = options.width;
  plan.dropout = options.dropout;
  return nn::AnyModule(std::make_shared<LayersImpl>(kind, std::move(plan)));
}

}  // namespace adacvar
