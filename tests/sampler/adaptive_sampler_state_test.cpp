#include <adacvar/sampler/adaptive_sampler.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using Options = AdaptiveSamplerOptions;

std::vector<Index> run(AdaptiveSampler& sampler, Rng& rng, int batches) {
  std::vector<Index> all;
  std::vector<Index> batch(7);
  std::vector<double> losses(7);
  for (int t = 0; t < batches; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < 7; ++j) {
      losses[j] = std::fmod(0.37 * static_cast<double>(batch[j]) + 0.01 * t, 1.0);
    }
    sampler.observe(batch, losses);
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

std::vector<Options> all_kinds() {
  std::vector<Options> kinds;
  for (const auto marginals : {Marginals::matched, Marginals::exact}) {
    for (const auto estimator : {Estimator::gain, Estimator::loss, Estimator::centred}) {
      for (const auto schedule :
           {EtaSchedule::constant, EtaSchedule::inverse_sqrt, EtaSchedule::adagrad}) {
        Options o;
        o.estimator = estimator;
        o.schedule = schedule;
        o.marginals = marginals;
        o.eta = 0.05;
        kinds.push_back(o);
      }
    }
  }
  Options subset;
  subset.marginals = Marginals::exact;
  subset.batches = Batches::subset;
  kinds.push_back(subset);
  Options uniform;
  uniform.alpha = 1;
  kinds.push_back(uniform);
  return kinds;
}

TEST(AdaptiveSamplerState, a_resumed_run_draws_the_same_indices) {
  for (const Options& options : all_kinds()) {
    AdaptiveSampler sampler(150, options);
    Rng rng(5);
    run(sampler, rng, 30);
    sampler.discount(0.7);
    run(sampler, rng, 10);
    sampler.discount(0.3);
    std::stringstream stream;
    sampler.save(stream);
    rng.save(stream);
    AdaptiveSampler resumed = AdaptiveSampler::load(stream);
    Rng resumed_rng = Rng::load(stream);
    EXPECT_EQ(resumed.probabilities(), sampler.probabilities());
    EXPECT_EQ(run(resumed, resumed_rng, 200), run(sampler, rng, 200));
    sampler.discount(0.5);
    resumed.discount(0.5);
    EXPECT_EQ(run(resumed, resumed_rng, 50), run(sampler, rng, 50));
    EXPECT_EQ(resumed.probabilities(), sampler.probabilities());
    EXPECT_EQ(resumed.baseline(), sampler.baseline());
    EXPECT_EQ(resumed.scale(), sampler.scale());
    EXPECT_EQ(resumed.eta(), sampler.eta());
  }
}

TEST(AdaptiveSamplerState, saving_between_draw_and_observe_loses_nothing) {
  for (const auto marginals : {Marginals::matched, Marginals::exact}) {
    AdaptiveSampler sampler(80, {.eta = 0.02, .marginals = marginals});
    Rng rng(6);
    run(sampler, rng, 20);
    std::vector<Index> batch(16);
    sampler.draw(rng, batch);
    std::stringstream stream;
    sampler.save(stream);
    AdaptiveSampler resumed = AdaptiveSampler::load(stream);
    const std::vector<double> losses(16, 0.7);
    sampler.observe(batch, losses);
    resumed.observe(batch, losses);
    Rng other = rng;
    EXPECT_EQ(run(sampler, rng, 50), run(resumed, other, 50));
  }
}

TEST(AdaptiveSamplerState, statistics_of_the_largest_losses_can_be_loaded_again) {
  AdaptiveSampler sampler(20);
  const std::vector<Index> batch{1, 2, 3};
  for (int t = 0; t < 10; ++t) sampler.observe(batch, std::vector<double>(3, 1.7e308));
  std::stringstream stream;
  sampler.save(stream);
  EXPECT_EQ(AdaptiveSampler::load(stream).baseline(), sampler.baseline());
  EXPECT_TRUE(std::isfinite(sampler.baseline()));
}

TEST(AdaptiveSamplerState, saving_twice_gives_the_same_bytes) {
  AdaptiveSampler sampler(50);
  Rng rng(1);
  run(sampler, rng, 10);
  std::stringstream one;
  std::stringstream two;
  sampler.save(one);
  AdaptiveSampler::load(one).save(two);
  EXPECT_EQ(one.str(), two.str());
}

TEST(AdaptiveSamplerState, a_copy_is_independent) {
  AdaptiveSampler sampler(60, {.eta = 0.01});
  Rng rng(9);
  run(sampler, rng, 20);
  AdaptiveSampler copy = sampler;
  const auto before = copy.probabilities();
  Rng other = rng;
  const auto drawn = run(sampler, rng, 30);
  EXPECT_EQ(copy.probabilities(), before);
  EXPECT_EQ(run(copy, other, 30), drawn);
}

std::string saved_bytes(Marginals marginals) {
  AdaptiveSampler sampler(12, {.eta = 0.02, .marginals = marginals});
  Rng rng(3);
  run(sampler, rng, 10);
  std::ostringstream stream;
  sampler.save(stream);
  return stream.str();
}

bool is_refused(const std::string& bytes) {
  std::istringstream stream(bytes);
  try {
    (void)AdaptiveSampler::load(stream);
    return false;
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("not a usable ACVRADAP state: "), 0U) << error.what();
    return true;
  }
}

TEST(AdaptiveSamplerState, a_truncated_stream_is_refused_at_every_length) {
  for (const auto marginals : {Marginals::matched, Marginals::exact}) {
    const std::string bytes = saved_bytes(marginals);
    ASSERT_FALSE(is_refused(bytes));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_TRUE(is_refused(bytes.substr(0, length))) << length;
    }
  }
}

TEST(AdaptiveSamplerState, every_altered_byte_is_noticed) {
  for (const auto marginals : {Marginals::matched, Marginals::exact}) {
    const std::string bytes = saved_bytes(marginals);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string altered = bytes;
      altered[at] = static_cast<char>(altered[at] ^ (1 << (at % 8)));
      EXPECT_TRUE(is_refused(altered)) << at;
    }
  }
}

TEST(AdaptiveSamplerState, another_kind_of_state_is_refused) {
  std::stringstream stream;
  Rng(1).save(stream);
  EXPECT_TRUE(is_refused(stream.str()));
}

TEST(AdaptiveSamplerState, a_stream_that_cannot_be_written_is_an_error) {
  std::ostringstream stream;
  stream.setstate(std::ios::badbit);
  EXPECT_THROW(AdaptiveSampler(5).save(stream), DataError);
}

}  // namespace
}  // namespace adacvar
