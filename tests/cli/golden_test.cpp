// Results of every command, compared with stored ones (tests/cli/golden), and on 1 and 2 threads
// with each other. ADACVAR_UPDATE_GOLDEN=1 stores them anew; a change is an entry in CHANGELOG.md.

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar::cli {
namespace {

using nlohmann::json;
using support::Outcome;
using support::TemporaryFolder;

struct Golden {
  std::string name;
  std::string line;
  bool has_threads = true;
  bool is_stored = true;    // networks differ between processors beyond the tolerance
  double tolerance = 1e-6;  // relative
};

// The solver stops when its gap is small: the last digits differ between processors, which may cost
// or save a step, and multipliers are known less well than risks. Points of a curve are certified
// within 1e-5 only, and a gap of g leaves about sqrt(g) of a VaR open.
constexpr double kSolved = 1e-3;
constexpr double kCurve = 1e-2;

const std::filesystem::path kStored = std::filesystem::path(ADACVAR_SOURCE) / "tests/cli/golden";

Outcome run_line(const std::string& line, const std::filesystem::path& folder) {
  std::istringstream in(line);
  return support::run_program(ADACVAR_PROGRAM, {std::istream_iterator<std::string>(in), {}},
                              folder);
}

// Removes times, and what grows with the report: figures of partial dependence.
void remove_times(json& value) {
  if (value.is_object()) {
    value.erase("seconds");
    value.erase("dependence");
  }
  if (!value.is_structured()) return;
  for (json& item : value) remove_times(item);
}

/// Output as JSON; CSV and text are one string.
json result_of(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return text;
  remove_times(value);
  return value;
}

void expect_close(const json& found, const json& stored, double tolerance,
                  const std::string& place) {
  if (stored.is_number() && found.is_number()) {
    EXPECT_NEAR(found, stored, tolerance * std::max(1.0, std::abs(stored.get<double>()))) << place;
  } else if (stored.is_structured() && found.is_structured()) {
    ASSERT_EQ(found.size(), stored.size()) << place;
    for (const auto& [key, value] : stored.items()) {
      const std::string next = place + "/" + key;
      if (stored.is_object()) {
        ASSERT_TRUE(found.contains(key)) << next;
        expect_close(found.at(key), value, tolerance, next);
      } else {
        expect_close(found.at(static_cast<std::size_t>(std::stoul(key))), value, tolerance, next);
      }
    }
  } else {
    EXPECT_EQ(found, stored) << place;
  }
}

class Results : public testing::TestWithParam<Golden> {};

TEST_P(Results, are_those_stored_and_do_not_depend_on_threads) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(kStored / "data.csv", folder.path() / "data.csv");
  const Outcome model =
      run_line("train data.csv --target y --drop f --epochs 5 --model m.json -q", folder.path());
  ASSERT_EQ(model.code, 0) << model.err;
  const std::string& line = GetParam().line;
  const Outcome one =
      run_line(line + (GetParam().has_threads ? " --threads 1" : ""), folder.path());
  ASSERT_EQ(one.code, 0) << one.err;
  const json found = result_of(one.out);
  if (GetParam().has_threads) {
    std::filesystem::remove_all(folder.path() / "r");  // reproduce would reuse its results
    EXPECT_EQ(result_of(run_line(line + " --threads 2", folder.path()).out), found);
  }
  if (!GetParam().is_stored) return;
  const std::filesystem::path path = kStored / (GetParam().name + ".json");
  if (std::getenv("ADACVAR_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << found.dump(1) << '\n';
  }
  expect_close(found, json::parse(support::content_of(path)), GetParam().tolerance, "");
}

std::vector<Golden> rows() {
  const std::string data = " data.csv --target y --drop f -q --json";
  return {
      {"train", "train --epochs 5" + data},
      {"exact", "train --algorithm exact --mean-budget 5%" + data, true, true, kSolved},
      {"tune", "train --tune --epochs 2" + data},
      {"compare", "compare --epochs 5" + data, true, true, kSolved},
      {"frontier", "frontier --points 5" + data, true, true, kCurve},
      {"correct", "correct data.csv --target y --prediction f -q --json", true, true, kSolved},
      {"evaluate", "evaluate m.json data.csv --group kind -q --json"},
      {"predict", "predict m.json data.csv -q", false},
      {"describe", "data describe data.csv", false},
      {"make", "data make pareto --rows 20", false},
      {"reproduce", "reproduce convex --sets sinc --make-rows 60 --seeds 2 --out r -q --json"},
#ifdef ADACVAR_WITH_TREES
      {"best", "best --folds 2" + data, true, false},
      {"trees", "train --trees --rounds 10" + data},
#endif
  };
}

INSTANTIATE_TEST_SUITE_P(Commands, Results, testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace adacvar::cli
