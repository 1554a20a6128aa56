#include <adacvar/risk/calibration.hpp>

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

namespace adacvar {
namespace {

TEST(Calibration, bins_have_their_mean_confidence_and_accuracy) {
  const std::vector<double> confidences = {0.52, 0.58, 0.95, 0.97, 1.0};
  const std::vector<std::uint8_t> correct = {1, 0, 1, 1, 0};
  const auto bins = calibration(confidences, correct);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].rows, 2U);
  EXPECT_NEAR(bins[0].confidence, 0.55, 1e-12);
  EXPECT_NEAR(bins[0].accuracy, 0.5, 1e-12);
  EXPECT_EQ(bins[1].rows, 3U);
  EXPECT_NEAR(bins[1].accuracy, 2.0 / 3, 1e-12);
  EXPECT_NEAR(calibration_error(bins), (2 * 0.05 + (2.92 - 2)) / 5, 1e-12);
}

TEST(Calibration, without_rows_there_is_no_bin_and_no_error) {
  EXPECT_TRUE(calibration({}, {}).empty());
  EXPECT_EQ(calibration_error({}), 0);
}

TEST(Calibration, bad_input_is_refused) {
  const std::vector<std::uint8_t> one = {1};
  EXPECT_THROW((void)calibration(std::vector{0.5, 0.5}, one), OptionError);
  EXPECT_THROW((void)calibration(std::vector{1.5}, one), OptionError);
  EXPECT_THROW((void)calibration(std::vector{0.5}, one, 0), OptionError);
}

}  // namespace
}  // namespace adacvar
