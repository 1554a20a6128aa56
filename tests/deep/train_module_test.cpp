#include <adacvar/deep/train_module.hpp>

#include "deep/torch_model.hpp"
#include "deep/torch_optimizer.hpp"
#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/run_program.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

namespace adacvar {
namespace {

using support::message_of;
using support::random_data;
using support::TemporaryFolder;

Dataset classes_data(std::size_t rows = 200) {
  Rng rng(1);
  return random_data(Task::multiclass, {.rows = rows, .features = 4, .classes = 3}, rng);
}

/// Images of noise with a bright spot whose position tells the class.
Dataset images(std::size_t rows, std::size_t side = 12) {
  Rng rng(2);
  Dataset data;
  data.rows = rows;
  data.image = {1, side, side};
  data.features = data.image.size();
  data.task = Task::multiclass;
  data.class_names = {"left", "right", "both"};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t label = i % 3;
    data.targets.push_back(static_cast<double>(label));
    for (std::size_t p = 0; p < data.features; ++p) {
      const bool left = p % side < side / 2;
      const bool bright = label == 2 || (label == 0) == left;
      data.dense.push_back(static_cast<float>(0.3 * support::normal(rng) + (bright ? 1 : 0)));
    }
  }
  return data;
}

std::vector<double> all_scores(const Scorer& model, const Dataset& data) {
  std::vector<Index> rows(data.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<double> scores(data.rows * model.outputs());
  model.scores(data, rows, scores);
  return scores;
}

TrainOptions quick(Algorithm algorithm = Algorithm::adacvar, std::uint64_t epochs = 6) {
  TrainOptions options;
  options.algorithm = algorithm;
  options.epochs = epochs;
  options.batch = 16;
  options.seed = 5;
  return options;
}

NetworkOptions network(const std::string& name) {
  NetworkOptions options;
  options.network = name;
  options.threads = 1;
  return options;
}

// The twin: a linear layer that starts from 0 is the linear model of the core, in single precision.
TEST(TrainModule, linear_layer_learns_what_the_linear_model_learns) {
  for (const Task task : {Task::regression, Task::binary, Task::multiclass}) {
    Rng rng(3);
    const Dataset data = random_data(task, {.rows = 150, .features = 3, .classes = 3}, rng);
    const Loss loss = Loss::of_task(task);
    for (const Algorithm algorithm :
         {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft, Algorithm::mean}) {
      TrainOptions options = quick(algorithm, 4);
      options.learning_rate = 0.005;
      options.optimizer.momentum = 0.5;
      options.optimizer.weight_decay = 0.01;
      options.sampler.eta_scale = 3;
      options.memory = 0.5;
      options.rate_schedule = RateSchedule::cosine;
      for (const Iterate iterate : {Iterate::last, Iterate::average}) {
        options.iterate = iterate;
        torch::nn::Linear layer(3, static_cast<std::int64_t>(loss.outputs(3)));
        torch::nn::init::zeros_(layer->weight);
        torch::nn::init::zeros_(layer->bias);
        const NetworkResult found =
            train_module(torch::nn::AnyModule(layer), data, nullptr, loss, options);
        const TrainResult twin = train(data, nullptr, loss, options);
        const std::vector<double> ours = all_scores(*found.model, data);
        const std::vector<double> theirs = all_scores(twin.model, data);
        for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], theirs[i], 2e-5);
      }
    }
  }
}

TEST(TrainModule, adam_is_that_of_the_core) {
  const Dataset data = classes_data();
  const Loss loss(LossKind::softmax);
  TrainOptions options = quick(Algorithm::mean, 3);
  options.iterate = Iterate::last;
  options.learning_rate = 0.01;
  options.optimizer.kind = OptimizerKind::adam;
  options.rate_schedule = RateSchedule::steps;
  torch::nn::Linear layer(4, 3);
  torch::nn::init::zeros_(layer->weight);
  torch::nn::init::zeros_(layer->bias);
  const NetworkResult found =
      train_module(torch::nn::AnyModule(layer), data, nullptr, loss, options);
  const std::vector<double> ours = all_scores(*found.model, data);
  const std::vector<double> theirs = all_scores(train(data, nullptr, loss, options).model, data);
  for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], theirs[i], 1e-4);
}

// The twin is torch::optim, in both precisions and, by a transposed parameter, without the fast
// path.
TEST(TorchOptimizer, steps_as_torch_does) {
  const auto compare = [](const OptimizerOptions& options, torch::Dtype type, auto make) {
    torch::manual_seed(1);
    std::vector<torch::Tensor> ours;
    std::vector<torch::Tensor> theirs;
    for (const auto& start :
         {torch::randn({40, 30}, type), torch::randn({7}, type), torch::randn({5, 6}, type).t()}) {
      ours.push_back(start.clone().requires_grad_());
      theirs.push_back(start.clone().requires_grad_());
    }
    ours.push_back(torch::ones({2}, type).requires_grad_());  // never has a gradient
    TorchOptimizer optimizer(ours, options);
    const auto twin = make(theirs);
    for (int t = 0; t < 20; ++t) {
      optimizer.drop_gradients();
      for (std::size_t p = 0; p < theirs.size(); ++p) {
        const torch::Tensor gradient = torch::randn_like(theirs[p].detach());
        ours[p].mutable_grad() = gradient;
        theirs[p].mutable_grad() = gradient.clone();
      }
      optimizer.step(0.1);
      const torch::NoGradGuard no_gradients;
      for (torch::Tensor& tensor : theirs) tensor.mul_(1 - 0.1 * options.weight_decay);
      twin->step();
    }
    const double tolerance = type == torch::kFloat32 ? 1e-5 : 1e-12;
    for (std::size_t p = 0; p < theirs.size(); ++p) {
      EXPECT_TRUE(torch::allclose(ours[p], theirs[p], tolerance, tolerance)) << p;
    }
    EXPECT_TRUE(torch::equal(ours[3], torch::ones({2}, type)));
  };
  for (const torch::Dtype type : {torch::kFloat32, torch::kFloat64}) {
    for (const bool nesterov : {false, true}) {
      const OptimizerOptions sgd{OptimizerKind::sgd, 0.9, nesterov, 0.05};
      compare(sgd, type, [&](const auto& parameters) {
        return std::make_unique<torch::optim::SGD>(
            parameters, torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(nesterov));
      });
    }
    const OptimizerOptions adam{OptimizerKind::adam, 0, false, 0.05};
    compare(adam, type, [](const auto& parameters) {
      return std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(0.1));
    });
  }
}

TEST(TrainModule, network_beats_every_linear_model_where_classes_are_not_linear) {
  Rng rng(4);
  Dataset data = random_data(Task::binary, {.rows = 400, .features = 2}, rng);
  for (std::size_t i = 0; i < data.rows; ++i) {
    data.targets[i] = data.dense[2 * i] * data.dense[2 * i + 1] > 0 ? 1 : 0;
  }
  const Loss loss(LossKind::logistic);
  const auto maker = torch_network_maker();
  TrainOptions options = quick(Algorithm::adacvar, 60);
  options.alpha = 0.5;
  const NetworkResult found = maker->train(data, nullptr, loss, options, network("mlp:32"), {});
  EXPECT_EQ(found.stop_reason, StopReason::epochs);
  EXPECT_EQ(found.history.size(), 60U);
  const TrainResult linear = train(data, nullptr, loss, options);
  EXPECT_LT(cvar(losses_of(*found.model, data, loss), 0.5),
            0.5 * cvar(losses_of(linear.model, data, loss), 0.5));
}

TEST(TrainModule, sparse_rows_are_the_same_rows) {
  const Dataset dense = classes_data(60);
  Dataset sparse = dense;
  sparse.dense.clear();
  sparse.start.push_back(0);
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::uint32_t f = 0; f < 4; ++f) {
      sparse.column.push_back(f);
      sparse.value.push_back(dense.dense[i * 4 + f]);
    }
    sparse.start.push_back(sparse.value.size());
  }
  const auto maker = torch_network_maker();
  const Loss loss(LossKind::softmax);
  const auto one = maker->train(dense, nullptr, loss, quick(), network("mlp:8"), {});
  const auto other = maker->train(sparse, nullptr, loss, quick(), network("mlp:8"), {});
  EXPECT_EQ(all_scores(*one.model, dense), all_scores(*other.model, sparse));
}

// Dropout, augmentation and batch normalisation all have a state that a checkpoint must carry.
TEST(TrainModule, interrupted_run_ends_in_the_same_weights) {
  const Dataset data = images(90, 16);
  const Dataset valid = images(30, 16);
  const Loss loss(LossKind::softmax);
  const auto maker = torch_network_maker();
  for (const Algorithm algorithm : {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft}) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
      TrainOptions options = quick(algorithm, 5);
      options.optimizer.kind = kind;
      options.iterate = kind == OptimizerKind::sgd ? Iterate::best : Iterate::average;
      NetworkOptions net = network("lenet5");
      net.dropout = 0.3;
      net.augment = Augment::crop_flip;
      const NetworkResult whole = maker->train(data, &valid, loss, options, net, {});

      const TemporaryFolder folder;
      TrainHooks hooks;
      hooks.checkpoint = folder.path() / "state";
      hooks.run_identity = "this run";
      for (const std::uint64_t stop_after : {1U, 3U}) {
        hooks.watch = [&](const EpochView& view) {
          if (view.record.epoch == stop_after + 1) throw std::runtime_error("killed");
          return true;
        };
        EXPECT_THROW((void)maker->train(data, &valid, loss, options, net, hooks),
                     std::runtime_error);
      }
      hooks.watch = {};
      const NetworkResult resumed = maker->train(data, &valid, loss, options, net, hooks);
      EXPECT_EQ(all_scores(*resumed.model, valid), all_scores(*whole.model, valid));
      EXPECT_EQ(resumed.model->weights(), whole.model->weights());
      EXPECT_EQ(resumed.history.size(), 5U);
    }
  }
}

TEST(TrainModule, same_seed_same_weights_and_another_seed_others) {
  const Dataset data = images(60);
  const Loss loss(LossKind::softmax);
  const auto maker = torch_network_maker();
  TrainOptions options = quick(Algorithm::adacvar, 2);
  const auto one = maker->train(data, nullptr, loss, options, network("lenet5"), {});
  const auto two = maker->train(data, nullptr, loss, options, network("lenet5"), {});
  options.seed = 6;
  const auto other = maker->train(data, nullptr, loss, options, network("lenet5"), {});
  EXPECT_EQ(one.model->weights(), two.model->weights());
  EXPECT_NE(all_scores(*one.model, data), all_scores(*other.model, data));
}

TEST(TrainModule, every_image_network_learns) {
  const Dataset data = images(120, 32);
  const Loss loss(LossKind::softmax);
  const auto maker = torch_network_maker();
  for (const std::string name : {"mlp:32", "lenet5", "lenet5-paper", "resnet18", "vgg16-bn"}) {
    NetworkOptions net = network(name);
    if (name == "resnet18" || name == "vgg16-bn") net.width = 0.0625;
    const auto found = maker->train(data, nullptr, loss, quick(Algorithm::mean, 4), net, {});
    EXPECT_EQ(found.stop_reason, StopReason::epochs) << name;
    EXPECT_LT(found.history.back().training_loss, found.history.front().training_loss) << name;
  }
}

TEST(TrainModule, loss_that_is_not_finite_keeps_the_last_finite_checkpoint) {
  const Dataset data = images(60);
  const Loss loss(LossKind::softmax);
  const auto maker = torch_network_maker();
  const TemporaryFolder folder;
  TrainOptions options = quick(Algorithm::mean, 5);
  TrainHooks hooks{.checkpoint = folder.path() / "state"};
  hooks.watch = [](const EpochView& view) -> bool {
    if (view.record.epoch == 3) throw std::runtime_error("killed");
    return true;
  };
  EXPECT_THROW((void)maker->train(data, nullptr, loss, options, network("mlp:8"), hooks),
               std::runtime_error);
  const std::string kept = support::content_of(hooks.checkpoint);
  options.learning_rate = 1e30;  // resumes from epoch 2
  hooks.watch = {};
  const auto wild = maker->train(data, nullptr, loss, options, network("mlp:8"), hooks);
  EXPECT_EQ(wild.stop_reason, StopReason::diverged);
  EXPECT_EQ(wild.epochs, 2U);
  for (const double score : all_scores(*wild.model, data)) ASSERT_TRUE(std::isfinite(score));
  EXPECT_EQ(support::content_of(hooks.checkpoint), kept);
}

TEST(TrainModule, saved_weights_restore_the_network) {
  const Dataset data = images(60, 16);
  const Loss loss(LossKind::softmax);
  const auto maker = torch_network_maker();
  for (const std::string name : {"mlp:8", "lenet5", "resnet18"}) {
    NetworkOptions net = network(name);
    net.width = 0.25;
    const auto found = maker->train(data, nullptr, loss, quick(Algorithm::mean, 1), net, {});
    const NetworkShape shape{.features = data.features, .image = data.image, .outputs = 3};
    const auto loaded = maker->load(net, shape, found.model->weights());
    EXPECT_EQ(all_scores(*loaded, data), all_scores(*found.model, data)) << name;
    EXPECT_EQ(loaded->parameter_count(), found.model->parameter_count());
    EXPECT_DOUBLE_EQ(loaded->norm(), found.model->norm());
    EXPECT_THROW((void)maker->load(net, shape, "no archive"), DataError);
    net.width = 0.5;
    EXPECT_THROW((void)maker->load(net, shape, found.model->weights()), DataError);
  }
}

// The scores of a single layer are linear in its weights.
TEST(TrainModule, weights_are_interpolated) {
  const Dataset data = classes_data();
  const Loss loss(LossKind::softmax);
  const auto maker = torch_network_maker();
  const auto train = [&](const std::string& name, std::uint64_t seed) {
    TrainOptions options = quick();
    options.seed = seed;
    return maker->train(data, nullptr, loss, options, network(name), {}).model;
  };
  TemporaryFolder folder;
  const auto path = folder.path() / "layer.pt";
  torch::jit::Module layer("layer");
  layer.register_parameter("weight", torch::zeros({3, 4}, torch::requires_grad()), false);
  layer.define("def forward(self, x):\n  return x @ self.weight.t()\n");
  layer.save(path.string());
  const auto one = train(path.string(), 1);
  const auto other = train(path.string(), 2);
  const auto from = all_scores(*one, data);
  const auto to = all_scores(*other, data);
  const auto between = all_scores(*one->interpolated(*other, 0.25), data);
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_NEAR(between[i], 0.75 * from[i] + 0.25 * to[i], 1e-5);
  }
  EXPECT_EQ(all_scores(*one, data), from);  // a copy was moved
  const auto deep = train("mlp:8", 1);
  const auto deeper = train("mlp:8", 2);
  EXPECT_EQ(all_scores(*deep->interpolated(*deeper, 0), data), all_scores(*deep, data));
  EXPECT_EQ(all_scores(*deep->interpolated(*deeper, 1), data), all_scores(*deeper, data));
  support::expect_words<OptionError>([&] { (void)deep->interpolated(*one, 0.5); }, "layers");
}

TEST(TrainModule, training_starts_from_a_given_network) {
  const Dataset data = classes_data();
  const Loss loss(LossKind::softmax);
  const auto maker = torch_network_maker();
  const auto start = maker->train(data, nullptr, loss, quick(), network("mlp:8"), {}).model;
  TrainOptions options = quick(Algorithm::mean, 1);
  options.seed = 9;
  options.learning_rate = 1e-30;
  const auto same =
      maker->train(data, nullptr, loss, options, network("mlp:8"), {}, start.get()).model;
  EXPECT_EQ(all_scores(*same, data), all_scores(*start, data));
  options.learning_rate = 0.1;
  const auto before = all_scores(*start, data);
  const auto moved =
      maker->train(data, nullptr, loss, options, network("mlp:8"), {}, start.get()).model;
  EXPECT_NE(all_scores(*moved, data), before);
  EXPECT_EQ(all_scores(*start, data), before);  // a copy was trained
  support::expect_words<OptionError>(
      [&] { (void)maker->train(data, nullptr, loss, options, network("mlp:9"), {}, start.get()); },
      "layers");
}

// The epoch of least validation mean after a temperature, not of least validation CVaR.
TEST(TrainModule, best_epoch_is_that_of_the_least_validation_mean) {
  Rng rng(8);
  const Dataset data = random_data(Task::regression, {.rows = 60, .features = 4}, rng);
  const Dataset held_out = random_data(Task::regression, {.rows = 60, .features = 4}, rng);
  const Loss loss(LossKind::squared);
  const auto trained = torch_network_maker()->train(
      data, &held_out, loss, quick(Algorithm::adacvar, 40), network("mlp:32"), {});
  double least = 1e9;
  for (const EpochRecord& record : trained.history)
    least = std::min(least, record.validation->mean);
  const std::vector<double> losses = losses_of(*trained.model, held_out, loss);
  EXPECT_NEAR(tail_risk(losses, 0.1).mean, least, 1e-6);
  EXPECT_GT(trained.history.back().validation->mean, least);  // else the test shows nothing
}

TEST(TrainModule, wrong_shapes_and_options_are_refused) {
  const Dataset data = classes_data(30);
  const Loss loss(LossKind::softmax);
  const auto message = [&](torch::nn::AnyModule module) {
    return message_of<OptionError>(
        [&] { (void)train_module(module, data, nullptr, loss, quick()); });
  };
  EXPECT_PRED2(support::has_words, message(torch::nn::AnyModule(torch::nn::Linear(4, 5))),
               "2 x 5 Float ... batch of 2 rows ... 2 x 3");
  EXPECT_NE(message(torch::nn::AnyModule(torch::nn::Linear(7, 3)))
                .find("the network fails on a batch of 2 x 4: "),
            std::string::npos);
  NetworkOptions moved = network("mlp:4");
  moved.augment = Augment::crop;
  EXPECT_PRED2(support::has_words, message_of<OptionError>([&] {
                 (void)torch_network_maker()->train(data, nullptr, loss, quick(), moved, {});
               }),
               "augment needs images");
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { torch_network_maker()->check(network("none.pt")); }),
               "none.pt: ... TorchScript file");
  if (!torch::cuda::is_available()) {
    NetworkOptions cuda = network("mlp:4");
    cuda.device = Device::cuda;
    EXPECT_PRED2(support::has_words,
                 message_of<OptionError>([&] { torch_network_maker()->check(cuda); }),
                 "device = cuda");
  }
}

TEST(TrainModule, file_that_is_no_torchscript_is_refused) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "text.pt").string();
  std::ofstream(path) << "not an archive";
  const Dataset data = classes_data(30);
  EXPECT_NE(message_of<DataError>([&] {
              (void)torch_network_maker()->train(data, nullptr, Loss(LossKind::softmax), quick(),
                                                 network(path), {});
            }).find("text.pt: is not a TorchScript file"),
            std::string::npos);
}

// By hand: 1 x 3 x 3 numbers from 1 to 9.
TEST(Gather, images_are_shifted_and_mirrored_but_not_changed) {
  Dataset data;
  data.rows = 1;
  data.image = {1, 3, 3};
  data.features = 9;
  for (int i = 1; i <= 9; ++i) data.dense.push_back(static_cast<float>(i));
  const std::vector<Index> rows(1, 0);
  const torch::Tensor plain = gather(data, rows);
  EXPECT_EQ(plain.sizes().vec(), (std::vector<std::int64_t>{1, 1, 3, 3}));
  EXPECT_EQ(plain[0][0][1][2].item<float>(), 6);
  Rng rng(7);
  bool mirrored = false;
  bool moved = false;
  for (int trial = 0; trial < 2000; ++trial) {
    const torch::Tensor image = gather(data, rows, Augment::crop_flip, &rng)[0][0];
    // Neighbours in a line stay neighbours: the numbers rise by 1, or fall in a mirror.
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x + 1 < 3; ++x) {
        const float a = image[y][x].item<float>();
        const float b = image[y][x + 1].item<float>();
        if (a == 0 || b == 0) continue;
        ASSERT_EQ(std::abs(a - b), 1);
        mirrored = mirrored || a > b;
      }
    }
    moved = moved || image[1][1].item<float>() == 1;
  }
  EXPECT_TRUE(mirrored);
  EXPECT_TRUE(moved);
  Rng same(7);
  EXPECT_TRUE(torch::equal(gather(data, rows, Augment::none, &same), plain));
}

}  // namespace
}  // namespace adacvar
