#include <adacvar/deep/data_sampler.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>
#include <torch/data.h>
#include <torch/serialize.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

constexpr std::size_t kSize = 50;

AdaptiveSampler adaptive(std::size_t size = kSize) {
  return AdaptiveSampler(size, {.alpha = 0.1, .eta = 0.5 / static_cast<double>(size)});
}

DataSampler make(std::size_t epoch_draws = 0) { return {adaptive(), Rng(7), epoch_draws}; }

struct Batch {
  DrawnBatch drawn;
  torch::Tensor rows;
};

/// Row i is i.
class Rows : public torch::data::datasets::BatchDataset<Rows, Batch, DrawnBatch> {
 public:
  explicit Rows(std::size_t size)
      : rows_(torch::arange(static_cast<std::int64_t>(size), torch::kFloat32)) {}
  Batch get_batch(DrawnBatch request) override {
    torch::Tensor rows = rows_.index_select(0, request.index_tensor());
    return {std::move(request), std::move(rows)};
  }
  [[nodiscard]] torch::optional<std::size_t> size() const override {
    return static_cast<std::size_t>(rows_.size(0));
  }

 private:
  torch::Tensor rows_;
};

torch::data::DataLoaderOptions loader_options(std::size_t workers) {
  return torch::data::DataLoaderOptions().batch_size(8).workers(workers);
}

/// Row 3 has a loss of 1, the others 0.1.
torch::Tensor losses_of(const torch::Tensor& rows) {
  return torch::where(rows == 3, torch::ones_like(rows), torch::full_like(rows, 0.1));
}

std::vector<Index> draw(DataSampler& sampler, int batches) {
  std::vector<Index> indices;
  for (int batch = 0; batch < batches; ++batch) {
    const auto drawn = sampler.next(8);
    if (!drawn.has_value()) return indices;
    indices.insert(indices.end(), drawn->indices.begin(), drawn->indices.end());
  }
  return indices;
}

std::string saved(const DataSampler& sampler) {
  std::ostringstream out;
  torch::save(sampler, out);
  return out.str();
}

void load(DataSampler& sampler, const std::string& bytes) {
  std::istringstream in(bytes);
  torch::load(sampler, in);
}

TEST(DataSampler, AnEpochHasAsManyDrawsAsExamplesOrAsAsked) {
  for (const std::size_t draws : {std::size_t{0}, std::size_t{20}}) {
    DataSampler sampler = make(draws);
    const std::size_t expected = draws == 0 ? kSize : draws;
    for (int epoch = 0; epoch < 2; ++epoch) {
      EXPECT_EQ(draw(sampler, 100).size(), expected);
      EXPECT_FALSE(sampler.next(8).has_value());
      sampler.reset();
    }
  }
}

TEST(DataSampler, DrawsWhatTheSamplerDraws) {
  DataSampler sampler = make();
  AdaptiveSampler twin = adaptive();
  Rng rng(7);
  std::vector<Index> expected(8);
  for (int step = 0; step < 6; ++step) {
    const auto batch = sampler.next(8);
    ASSERT_TRUE(batch.has_value());
    twin.draw(rng, expected);
    ASSERT_EQ(batch->indices, expected);
    std::vector<double> losses;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_EQ(batch->probabilities[j], twin.probability(expected[j]));
      losses.push_back(expected[j] % 3 == 0 ? 2.0 : 0.5);
    }
    sampler.observe(batch->indices, losses, batch->probabilities);
    twin.observe(expected, losses);
  }
}

TEST(DataSampler, LearnsThroughALoader) {
  for (const std::size_t workers : {std::size_t{0}, std::size_t{2}}) {
    SCOPED_TRACE(workers);
    DataSampler sampler = make();
    auto loader = torch::data::make_data_loader(Rows(kSize), sampler, loader_options(workers));
    EXPECT_LT(sampler.snapshot().probability(3), 0.03);
    for (int epoch = 0; epoch < 20; ++epoch) {
      std::size_t draws = 0;
      for (const Batch& batch : *loader) {
        // The rows came with their own indices.
        ASSERT_EQ(batch.rows.size(0), static_cast<std::int64_t>(batch.drawn.size()));
        for (std::size_t j = 0; j < batch.drawn.size(); ++j) {
          ASSERT_EQ(batch.rows[static_cast<std::int64_t>(j)].item<float>(),
                    static_cast<float>(batch.drawn.indices[j]));
        }
        sampler.observe(batch.drawn, losses_of(batch.rows));
        draws += batch.drawn.size();
      }
      EXPECT_EQ(draws, kSize);
    }
    // k = 5, so at most 1/5 but for gamma.
    EXPECT_GT(sampler.snapshot().probability(3), 0.15);
  }
}

// A loader with w workers draws 2w batches ahead: batch t has the losses of t - 2w - 1 and before.
TEST(DataSampler, DrawsRunAheadByTwoBatchesAWorker) {
  for (const std::size_t workers : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    SCOPED_TRACE(workers);
    DataSampler sampler = make(80);
    auto loader = torch::data::make_data_loader(Rows(kSize), sampler, loader_options(workers));
    AdaptiveSampler twin = adaptive();
    std::vector<std::vector<double>> expected = {twin.probabilities()};  // by number of batches
    std::size_t t = 0;
    for (const Batch& batch : *loader) {
      const std::size_t seen = t < 2 * workers ? 0 : t - 2 * workers;
      for (std::size_t j = 0; j < batch.drawn.size(); ++j) {
        ASSERT_DOUBLE_EQ(batch.drawn.probabilities[j], expected[seen][batch.drawn.indices[j]]) << t;
      }
      sampler.observe(batch.drawn, losses_of(batch.rows));
      std::vector<double> losses;
      for (const Index i : batch.drawn.indices) {
        losses.push_back(i == 3 ? 1.0 : static_cast<double>(0.1F));
      }
      twin.observe(batch.drawn.indices, losses, batch.drawn.probabilities);
      expected.push_back(twin.probabilities());
      ++t;
    }
    EXPECT_EQ(t, 10U);
  }
}

TEST(DataSampler, CopiesAreOneSampler) {
  DataSampler sampler = make();
  DataSampler copy = sampler;
  const std::vector<Index> first = draw(sampler, 1);
  DataSampler twin = make();
  EXPECT_EQ(draw(twin, 1), first);
  EXPECT_EQ(draw(copy, 1), draw(twin, 1));
  copy.reset();
  EXPECT_EQ(draw(sampler, 100).size(), kSize);
}

TEST(DataSampler, ObservesWhileAnotherThreadDraws) {
  DataSampler sampler = make(80'000);
  const auto batch = sampler.next(8);
  ASSERT_TRUE(batch.has_value());
  std::thread learner([&] {
    for (int step = 0; step < 2'000; ++step) {
      sampler.observe(*batch, torch::full({8}, 0.5));
    }
  });
  std::size_t draws = 8;
  while (const auto next = sampler.next(8)) draws += next->size();
  learner.join();
  EXPECT_EQ(draws, 80'000U);
}

TEST(DataSampler, ResumesFromSavedState) {
  for (const char* kind : {"uniform", "shuffled", "adaptive"}) {
    SCOPED_TRACE(kind);
    DataSampler sampler(make_sampler(kind, kSize).variant(), Rng(5));
    const auto batch = sampler.next(8);
    ASSERT_TRUE(batch.has_value());
    sampler.observe(*batch, torch::rand({8}));
    const std::string bytes = saved(sampler);
    const std::vector<Index> expected = draw(sampler, 100);
    EXPECT_EQ(expected.size(), kSize - 8);
    DataSampler other(make_sampler("uniform", kSize).variant(), Rng(99), 3);
    load(other, bytes);
    EXPECT_EQ(draw(other, 100), expected);
    EXPECT_EQ(other.snapshot().variant().index(), sampler.snapshot().variant().index());
  }
}

TEST(DataSampler, LossesOfAnyKindOfTensor) {
  DataSampler sampler = make();
  DataSampler twin = make();
  const auto batch = sampler.next(4);
  const auto same = twin.next(4);
  ASSERT_TRUE(batch.has_value() && same.has_value());
  sampler.observe(*batch, torch::tensor({1.0F, 0.5F, 0.25F, 2.0F}).reshape({4, 1}));
  twin.observe(same->indices, std::vector{1.0, 0.5, 0.25, 2.0}, same->probabilities);
  sampler.observe(*batch, torch::ones({4}, torch::kFloat64).requires_grad_() * 2);
  twin.observe(same->indices, std::vector{2.0, 2.0, 2.0, 2.0}, same->probabilities);
  EXPECT_EQ(draw(sampler, 3), draw(twin, 3));
}

TEST(DataSampler, Refused) {
  DataSampler sampler = make();
  expect_words<OptionError>([&] { (void)sampler.next(0); }, "a batch needs at least one draw");
  expect_words<OptionError>([&] { sampler.reset(49); }, "50 examples ... 49");
  sampler.reset(50);
  const auto batch = sampler.next(8);
  ASSERT_TRUE(batch.has_value());
  expect_words<OptionError>([&] { sampler.observe(*batch, torch::ones({7})); },
                            "7 losses for a batch of 8");
  EXPECT_THROW(sampler.observe(*batch, torch::full({8}, -1.0)), DataError);
}

TEST(DataSampler, ArchivesThatAreNoState) {
  DataSampler sampler = make();
  const auto refused = [&](const std::string& words, auto&& write) {
    torch::serialize::OutputArchive out;
    sampler.save(out);
    write(out);
    std::ostringstream bytes;
    out.save_to(bytes);
    expect_words<DataError>([&] { load(sampler, bytes.str()); }, words);
  };
  const std::string prefix = "the archive does not hold a DataSampler: ";
  {
    std::ostringstream bytes;
    torch::save(torch::ones({2}), bytes);
    expect_words<DataError>([&] { load(sampler, bytes.str()); }, prefix + "a value is missing");
  }
  refused("the archive has a sampler of the unknown kind 'other'",
          [](auto& out) { out.write("kind", c10::IValue(std::string("other"))); });
  {
    torch::serialize::OutputArchive out;
    out.write("kind", c10::IValue(std::string("uniform")));
    out.write("state", torch::zeros({100}), true);
    out.write("epoch_draws", c10::IValue(std::int64_t{50}));
    out.write("drawn", c10::IValue(std::int64_t{0}));
    std::ostringstream bytes;
    out.save_to(bytes);
    expect_words<DataError>([&] { load(sampler, bytes.str()); },
                            prefix + "a value has the wrong type");
  }
  refused(prefix + "the position in the epoch",
          [](auto& out) { out.write("drawn", c10::IValue(std::int64_t{51})); });
  {
    DataSampler other(adaptive(20), Rng(1));
    expect_words<DataError>([&] { load(sampler, saved(other)); }, "20 examples ... 50");
  }
  // A damaged state is refused by the sampler itself; the state is unchanged after all errors.
  {
    torch::serialize::OutputArchive out;
    sampler.save(out);
    out.write("state", torch::zeros({100}, torch::kUInt8), true);
    std::ostringstream bytes;
    out.save_to(bytes);
    EXPECT_THROW(load(sampler, bytes.str()), DataError);
  }
  DataSampler twin = make();
  EXPECT_EQ(draw(sampler, 100), draw(twin, 100));
}

}  // namespace
}  // namespace adacvar
