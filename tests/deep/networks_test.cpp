#include <adacvar/deep/networks.hpp>

#include "deep/max_pool.hpp"
#include "support/expect_words.hpp"

#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/utils.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using torch::nn::AnyModule;

constexpr ImageShape kDigit = {1, 28, 28};
constexpr ImageShape kPhoto = {3, 32, 32};

NetworkShape images(const ImageShape& image, std::size_t outputs = 10) {
  return {.features = image.size(), .image = image, .outputs = outputs};
}

NetworkShape table(std::size_t features, std::size_t outputs) {
  return {.features = features, .outputs = outputs};
}

std::int64_t parameter_count(const AnyModule& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : network.ptr()->parameters()) count += parameter.numel();
  return count;
}

torch::Tensor weights(const AnyModule& network) {
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& parameter : network.ptr()->parameters()) {
    flat.push_back(parameter.detach().flatten());
  }
  return torch::cat(flat);
}

torch::Tensor input_of(const NetworkShape& shape, std::int64_t rows) {
  return torch::rand({rows, static_cast<std::int64_t>(shape.features)});
}

/// Widths that keep the tests quick.
NetworkOptions narrow(const std::string& network) { return {.network = network, .width = 0.1}; }

TEST(Networks, Names) {
  EXPECT_EQ(network_names(),
            (std::vector<std::string>{"mlp", "lenet5", "lenet5-paper", "resnet18", "vgg16-bn"}));
}

TEST(Networks, ParameterCounts) {
  const auto count = [](const std::string& network, const NetworkShape& shape) {
    return parameter_count(make_network({.network = network}, shape));
  };
  EXPECT_EQ(count("lenet5", images(kDigit)), 61'706);
  EXPECT_EQ(count("lenet5-paper", images(kDigit)), 635'786);
  EXPECT_EQ(count("resnet18", images(kPhoto)), 11'173'962);
  EXPECT_EQ(count("mlp", table(13, 1)), 13 * 64 + 64 + 64 * 64 + 64 + 64 + 1);
  EXPECT_EQ(count("mlp:5,4,3", table(2, 7)), (2 * 5 + 5) + (5 * 4 + 4) + (4 * 3 + 3) + (3 * 7 + 7));
  EXPECT_EQ(count("mlp:1", images(kDigit, 2)), 784 + 1 + 2 + 2);
}

// 540 MB: on its own, and made once.
TEST(Networks, ParameterCountOfVgg) {
  EXPECT_EQ(parameter_count(make_network({.network = "vgg16-bn"}, images(kPhoto))), 134'309'962);
}

TEST(Networks, RowsOrImagesInScoresOut) {
  const torch::NoGradGuard no_grad;
  const std::vector<std::pair<std::string, NetworkShape>> cases = {
      {"mlp", table(13, 1)},
      {"mlp:8", images({2, 3, 5}, 4)},
      {"lenet5", images({1, 12, 12}, 3)},
      {"lenet5", images({3, 17, 30}, 2)},
      {"lenet5-paper", images({1, 11, 11}, 3)},
      {"lenet5-paper", images({3, 12, 19}, 2)},
      {"resnet18", images({1, 1, 1}, 2)},
      {"resnet18", images({3, 9, 33}, 5)},
      {"vgg16-bn", images({1, 32, 32}, 1)},
      {"vgg16-bn", images({3, 33, 64}, 2)},
  };
  for (const auto& [network, shape] : cases) {
    SCOPED_TRACE(network);
    AnyModule made = make_network(narrow(network), shape);
    made.ptr()->eval();
    const torch::Tensor rows = input_of(shape, 3);
    const torch::Tensor scores = made.forward(rows);
    ASSERT_EQ(scores.sizes(),
              (std::vector<std::int64_t>{3, static_cast<std::int64_t>(shape.outputs)}));
    if (shape.image == ImageShape{}) continue;
    const auto side = [](std::size_t length) { return static_cast<std::int64_t>(length); };
    const torch::Tensor shaped = rows.reshape(
        {3, side(shape.image.channels), side(shape.image.height), side(shape.image.width)});
    EXPECT_TRUE(torch::equal(made.forward(shaped), scores));
  }
}

TEST(Networks, Width) {
  const auto count = [](const std::string& network, double width, const NetworkShape& shape) {
    return parameter_count(make_network({.network = network, .width = width}, shape));
  };
  // round(0.5 * 5) = 3, round(0.5 * 4) = 2.
  EXPECT_EQ(count("mlp:5,4", 0.5, table(2, 1)), (2 * 3 + 3) + (3 * 2 + 2) + (2 + 1));
  // At least one of each: 1 -> 1 -> 1 channels, then 25 -> 1 -> 1 -> 10.
  EXPECT_EQ(count("lenet5", 1e-9, images(kDigit)), 26 + 26 + 26 + 2 + 20);
  // 3, 8, 60, 42.
  EXPECT_EQ(count("lenet5", 0.5, images(kDigit)),
            (25 * 3 + 3) + (3 * 8 * 25 + 8) + (200 * 60 + 60) + (60 * 42 + 42) + 430);
  // Stem and eight blocks of one channel; the first shortcut has no stride and no change of width,
  // the others have strides.
  EXPECT_EQ(count("resnet18", 1e-9, images(kPhoto)), (27 + 2) + 16 * (9 + 2) + 3 * (1 + 2) + 20);
}

TEST(Networks, DropoutInTrainingOnly) {
  for (const std::string network : {"mlp:50", "lenet5", "lenet5-paper", "resnet18"}) {
    SCOPED_TRACE(network);
    const torch::NoGradGuard no_grad;
    const NetworkShape shape = images({1, 12, 12}, 2);
    const torch::Tensor rows = input_of(shape, 2);
    AnyModule without = make_network({.network = network, .width = 0.5}, shape);
    EXPECT_TRUE(torch::equal(without.forward(rows), without.forward(rows)));
    AnyModule with = make_network({.network = network, .width = 0.5, .dropout = 0.5}, shape);
    EXPECT_FALSE(torch::equal(with.forward(rows), with.forward(rows)));
    with.ptr()->eval();
    EXPECT_TRUE(torch::equal(with.forward(rows), with.forward(rows)));
    EXPECT_EQ(parameter_count(with), parameter_count(without));
  }
}

TEST(Networks, DropoutOfVgg) {
  const auto shares = [](std::optional<double> dropout) {
    const AnyModule network =
        make_network({.network = "vgg16-bn", .width = 0.01, .dropout = dropout}, images(kPhoto));
    std::vector<double> found;
    for (const auto& module : network.ptr()->modules()) {
      if (const auto* layer = module->as<torch::nn::Dropout>()) {
        found.push_back(layer->options.p());
      }
    }
    return found;
  };
  EXPECT_EQ(shares({}), (std::vector{0.5, 0.5}));
  EXPECT_EQ(shares(0), std::vector<double>());
  EXPECT_EQ(shares(0.2), (std::vector{0.2, 0.2}));
}

TEST(Networks, SameSeedSameWeights) {
  for (const std::string& network : network_names()) {
    SCOPED_TRACE(network);
    const auto drawn = [&](std::uint64_t seed) {
      torch::manual_seed(seed);
      return weights(make_network(narrow(network), images(kPhoto)));
    };
    const torch::Tensor first = drawn(1);
    EXPECT_TRUE(torch::equal(first, drawn(1)));
    EXPECT_FALSE(torch::equal(first, drawn(2)));
  }
}

/// Checks the layers of one kind and counts them.
template <class Layer, class Check>
int for_each_layer(const AnyModule& network, const Check& check) {
  int layers = 0;
  for (const auto& module : network.ptr()->modules()) {
    if (const auto* layer = module->as<Layer>()) {
      check(*layer);
      ++layers;
    }
  }
  return layers;
}

TEST(Networks, WeightsToStartFrom) {
  torch::manual_seed(3);
  // Standard errors of a mean or deviation of n draws; over some 60 figures one false alarm in
  // 25,000 seeds.
  constexpr double kDeviations = 5;
  for (const auto& [name, image] :
       {std::pair{"lenet5-paper", kDigit}, {"resnet18", kPhoto}, {"vgg16-bn", kPhoto}}) {
    SCOPED_TRACE(name);
    const AnyModule network = make_network({.network = name, .width = 0.25}, images(image));
    const int convolutions = for_each_layer<torch::nn::Conv2d>(network, [](const auto& layer) {
      const torch::Tensor& weight = layer.weight;
      const double n = static_cast<double>(weight.numel());
      const double fan_out = static_cast<double>(weight.size(0) * weight.size(2) * weight.size(3));
      const double sd = std::sqrt(2 / fan_out);
      EXPECT_NEAR(weight.mean().template item<double>(), 0, kDeviations * sd / std::sqrt(n));
      EXPECT_NEAR(weight.std().template item<double>(), sd, kDeviations * sd / std::sqrt(2 * n));
      // Not uniform: a normal distribution exceeds sqrt(3) deviations in 8 % of its draws.
      EXPECT_GT(weight.abs().max().template item<double>(), 1.8 * sd);
      if (layer.bias.defined()) {
        EXPECT_TRUE(torch::all(layer.bias == 0).template item<bool>());
      }
    });
    EXPECT_GE(convolutions, 2);
    for_each_layer<torch::nn::BatchNorm2d>(network, [](const auto& layer) {
      EXPECT_TRUE(torch::all(layer.weight == 1).template item<bool>());
      EXPECT_TRUE(torch::all(layer.bias == 0).template item<bool>());
    });
    const int linear = for_each_layer<torch::nn::Linear>(network, [](const auto& layer) {
      const double bound = 1 / std::sqrt(static_cast<double>(layer.weight.size(1)));
      const double n = static_cast<double>(layer.weight.numel());
      EXPECT_LE(layer.weight.abs().max().template item<double>(), bound * (1 + 1e-6));
      EXPECT_LE(layer.bias.abs().max().template item<double>(), bound * (1 + 1e-6));
      // The absolute value is uniform on (0, bound).
      EXPECT_NEAR(layer.weight.abs().mean().template item<double>(), bound / 2,
                  kDeviations * bound / std::sqrt(12 * n));
    });
    EXPECT_GE(linear, 1);
  }
}

TEST(Networks, Learns) {
  torch::manual_seed(4);
  const NetworkShape shape = images({1, 12, 12}, 2);
  AnyModule network = make_network({.network = "lenet5"}, shape);
  const torch::Tensor rows = input_of(shape, 8);
  network.forward(rows).square().sum().backward();
  for (const torch::Tensor& parameter : network.ptr()->parameters()) {
    ASSERT_TRUE(parameter.grad().defined());
    EXPECT_TRUE(torch::isfinite(parameter.grad()).all().item<bool>());
  }
}

TEST(Networks, OneRowInTraining) {
  for (const auto& [name, image] : {std::pair{"resnet18", ImageShape{1, 8, 8}},
                                    {"resnet18", ImageShape{3, 1, 1}},
                                    {"vgg16-bn", kPhoto},
                                    {"lenet5", ImageShape{1, 12, 12}},
                                    {"mlp", ImageShape{1, 12, 12}}}) {
    SCOPED_TRACE(name);
    AnyModule network = make_network(narrow(name), images(image, 2));
    const torch::Tensor scores = network.forward(input_of(images(image), 1));
    scores.sum().backward();
    EXPECT_TRUE(torch::isfinite(scores).all().item<bool>());
    for (const torch::Tensor& buffer : network.ptr()->buffers()) {
      EXPECT_TRUE(torch::isfinite(buffer).all().item<bool>());
    }
  }
}

// A single row on 1 x 1 maps uses the running statistics, as in evaluation.
TEST(Networks, OneRowOfOnePixelIsNormalisedByRunningStatistics) {
  const torch::NoGradGuard no_grad;
  const NetworkShape shape = images({1, 1, 1}, 2);
  AnyModule network = make_network(narrow("resnet18"), shape);
  network.forward(input_of(shape, 5));
  const torch::Tensor row = input_of(shape, 1);
  const torch::Tensor trained = network.forward(row);
  network.ptr()->eval();
  EXPECT_TRUE(torch::equal(network.forward(row), trained));
}

TEST(Networks, CloneIsACopy) {
  const torch::NoGradGuard no_grad;
  for (const std::string& name : network_names()) {
    SCOPED_TRACE(name);
    const NetworkShape shape = images(kPhoto, 2);
    AnyModule network = make_network(narrow(name), shape);
    const torch::Tensor rows = input_of(shape, 3);
    network.forward(rows);  // moves the running statistics
    network.ptr()->eval();
    AnyModule copy = network.clone();
    EXPECT_FALSE(copy.ptr()->is_training());
    const torch::Tensor scores = network.forward(rows);
    EXPECT_TRUE(torch::equal(copy.forward(rows), scores));
    for (torch::Tensor& parameter : network.ptr()->parameters()) parameter.fill_(0.5);
    EXPECT_TRUE(torch::equal(copy.forward(rows), scores));
  }
}

TEST(Networks, Refused) {
  const auto refused = [](const std::string& network, const NetworkShape& shape,
                          const std::string& words) {
    expect_words<OptionError>([&] { (void)make_network({.network = network}, shape); }, words);
  };
  for (const std::string name : {"alexnet", "", "MLP", "mlp64", "lenet5:3", "mlp,64"}) {
    refused(name, table(13, 1),
            "network = '" + name +
                "' is not one of: mlp, lenet5, lenet5-paper, resnet18, vgg16-bn, or a TorchScript "
                "file ending in .pt");
  }
  const std::vector<std::pair<std::string, std::string>> widths = {
      {"mlp:", ""},
      {"mlp:64,", ""},
      {"mlp:,64", ""},
      {"mlp:0", "0"},
      {"mlp:-3", "-3"},
      {"mlp:64,6.5", "6.5"},
      {"mlp:64, 64", " 64"},
      {"mlp:1e3", "1e3"},
      {"mlp:1000001", "1000001"},
      {"mlp:a", "a"},
      {"mlp:99999999999999999999", "99999999999999999999"}};
  for (const auto& [name, width] : widths) {
    refused(name, table(13, 1),
            "network = '" + name + "' has the width '" + width +
                "' ... integers from 1 to 1,000,000 ... mlp:64,64");
  }
  refused("lenet5", table(13, 1), "lenet5 needs images ... 13 features");
  refused("resnet18", table(1, 1), "resnet18 needs images ... 1 feature");
  refused("lenet5", images({1, 11, 28}), "lenet5 ... at least 12 x 12 ... 11 x 28");
  refused("lenet5-paper", images({1, 28, 10}), "lenet5-paper ... at least 11 x 11 ... 28 x 10");
  refused("vgg16-bn", images(kDigit), "vgg16-bn ... at least 32 x 32 ... 28 x 28");
  refused("mlp", table(0, 1), "a network needs data with at least one feature");
  refused("mlp", table(13, 0), "a network needs at least one output");
  refused("lenet5", {.features = 10, .image = kDigit, .outputs = 10},
          "1 x 28 x 28 ... 10 features");
  expect_words<OptionError>(
      [] { (void)make_network({.network = "mlp", .width = 0}, table(13, 1)); },
      "width = 0 is outside (0, 1]");
  expect_words<OptionError>(
      [] { (void)make_network({.network = "mlp", .dropout = 1}, table(13, 1)); },
      "dropout = 1 is outside [0, 1)");
}

// The twin is torch's own. Values from a few numbers make ties; odd sides leave a line out.
TEST(Networks, max_pool_is_that_of_torch_with_its_gradient) {
  torch::manual_seed(3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [height, width] :
       {std::pair{2, 2}, std::pair{10, 10}, std::pair{28, 28}, std::pair{7, 9}, std::pair{2, 35}}) {
    for (const bool has_nan : {false, true}) {
      torch::Tensor maps = torch::randint(-3, 4, {5, 3, height, width}, torch::kFloat32);
      if (has_nan) maps.index_put_({0, 1, 1, 0}, nan);
      torch::Tensor other = maps.clone();
      maps.requires_grad_();
      other.requires_grad_();
      const torch::Tensor ours = max_pool_by_two(maps);
      const torch::Tensor theirs = torch::max_pool2d(other, 2);
      EXPECT_TRUE(torch::allclose(ours, theirs, 0, 0, /*equal_nan=*/true));
      const torch::Tensor gradient = torch::randn_like(theirs);
      ours.backward(gradient);
      theirs.backward(gradient);
      EXPECT_TRUE(torch::equal(maps.grad(), other.grad())) << height << " x " << width;
    }
  }
  // For another layout or type.
  const torch::Tensor wide = torch::randn({2, 4, 6, 8}).transpose(2, 3);
  EXPECT_TRUE(torch::equal(max_pool_by_two(wide), torch::max_pool2d(wide, 2)));
  const torch::Tensor exact = torch::randn({2, 4, 6, 8}, torch::kFloat64);
  EXPECT_TRUE(torch::equal(max_pool_by_two(exact), torch::max_pool2d(exact, 2)));
}

}  // namespace
}  // namespace adacvar
