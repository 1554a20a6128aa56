#include "data/shard_rows.hpp"

#include "base/collectives.hpp"
#include "base/thread_communicator.hpp"
#include "data/prepare_data.hpp"
#include "data/read_data.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using support::TemporaryFolder;

/// Writes a table with what makes parts of a file hard to read: quoted line ends, quotes within
/// quotes, blank lines, missing values, categories that begin late, numbers in another format.
std::string made_table(std::size_t rows, std::uint64_t seed) {
  Rng rng(seed);
  std::string text = "x,\"long \"\"name\"\"\",city,price,mostly,w,note,y\n";
  const std::vector<std::string> cities = {"Bern", "Basel", "\"Biel, BE\"", "\"two\nlines\"", ""};
  for (std::size_t i = 0; i < rows; ++i) {
    const auto number = [&] { return std::to_string(static_cast<int>(rng.below(2000)) - 700); };
    const std::string x = rng.below(20) == 0 ? "" : number() + "." + std::to_string(rng.below(97));
    const std::string city = i + 5 > rows ? "Zug" : cities[rng.below(5)];
    const std::string price = "\"" + std::to_string(1 + rng.below(9)) + "," +
                              std::to_string(100 + rng.below(900)) + ".50\"";
    const std::string mostly = rng.below(10) == 0 ? "n/a" : number();
    std::string note = "\"\n,";
    for (std::size_t k = rng.below(40); k > 0; --k)
      note += k % 3 == 0 ? "\n" : k % 5 == 0 ? "\"\"" : ",";
    text += x + "," + number() + "," + city + "," + price + "," + mostly + "," +
            std::to_string(rng.below(4)) + "," + note + "\"," +
            (rng.below(30) == 0 ? "" : number()) + (rng.below(9) == 0 ? "\r\n\n" : "\n");
  }
  return text;
}

class OnRanks : public testing::TestWithParam<std::size_t> {
 protected:
  std::string write(const std::string& text) const {
    const std::filesystem::path path = folder_.path() / "table.csv";
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

 private:
  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Ranks, OnRanks, testing::Values(1, 2, 3, 4, 7));

void append(Table& all, const Table& part) {
  if (all.columns.empty()) {
    all = part;
    return;
  }
  ASSERT_EQ(part.first_row, all.rows);
  ASSERT_EQ(part.columns.size(), all.columns.size());
  EXPECT_EQ(part.notes, all.notes);
  for (std::size_t c = 0; c < part.columns.size(); ++c) {
    Column& to = all.columns[c];
    const Column& from = part.columns[c];
    EXPECT_EQ(to.name, from.name);
    EXPECT_EQ(to.categorical, from.categorical);
    EXPECT_EQ(to.format, from.format);
    EXPECT_EQ(to.levels, from.levels);
    for (TextValue text : from.texts) {
      text.row += all.rows;
      to.texts.push_back(text);
    }
    for (const double number : from.numbers) to.numbers.push_back(number);
    to.codes.insert(to.codes.end(), from.codes.begin(), from.codes.end());
  }
  all.rows += part.rows;
}

/// The table that the ranks read together.
Table read_on_ranks(const std::string& text, std::size_t count, const ReadOptions& options = {}) {
  std::vector<Table> parts(count);
  run_on_threads(count, [&](Communicator& ranks) {
    parts[ranks.rank()] = parse_csv(text, "t.csv", options, ranks);
  });
  Table all;
  for (const Table& part : parts) append(all, part);
  return all;
}

void expect_equal(const Table& one, const Table& other) {
  EXPECT_EQ(one.rows, other.rows);
  EXPECT_EQ(one.notes, other.notes);
  ASSERT_EQ(one.columns.size(), other.columns.size());
  for (std::size_t c = 0; c < one.columns.size(); ++c) {
    const Column& a = one.columns[c];
    const Column& b = other.columns[c];
    EXPECT_EQ(std::tie(a.name, a.categorical, a.codes, a.levels, a.format, a.texts),
              std::tie(b.name, b.categorical, b.codes, b.levels, b.format, b.texts));
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    for (std::size_t i = 0; i < a.numbers.size(); ++i) {
      const bool both_missing = std::isnan(a.numbers[i]) && std::isnan(b.numbers[i]);
      EXPECT_TRUE(both_missing || a.numbers[i] == b.numbers[i]) << a.name << " row " << i;
    }
  }
}

TEST_P(OnRanks, parts_of_a_text_make_its_table) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::string text = made_table(1 + 13 * seed, seed);
    SCOPED_TRACE(seed);
    expect_equal(read_on_ranks(text, GetParam()), parse_csv(text, "t.csv"));
  }
}

// 200 bytes in one quoted field: parts begin within it.
TEST_P(OnRanks, a_row_longer_than_a_part_is_not_cut) {
  const std::string long_field = "\"" + std::string(200, '\n') + "\"";
  const std::string text = "a,b\n1," + long_field + "\n2,u\n3," + long_field + "\n";
  const Table table = read_on_ranks(text, GetParam());
  EXPECT_EQ(table.rows, 3U);
  expect_equal(table, parse_csv(text, "t.csv"));
}

TEST_P(OnRanks, ranks_without_rows_know_the_columns) {
  const std::string text = "a,b\n1,x\n";
  expect_equal(read_on_ranks(text, GetParam()), parse_csv(text, "t.csv"));
}

// Only the last rows show that the column is text, or has a word for missing values.
TEST_P(OnRanks, kinds_are_those_of_all_rows) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 300; ++i) text += "1,2,null\n";
  text += "x,null,null\n";
  const Table table = read_on_ranks(text, GetParam());
  EXPECT_FALSE(table.columns[1].categorical);
  EXPECT_TRUE(table.columns[2].categorical);
  expect_equal(table, parse_csv(text, "t.csv"));
}

TEST_P(OnRanks, errors_name_the_line) {
  std::string text = "a,b\n";
  for (int i = 0; i < 300; ++i) text += "1,\"2\n\"\n";
  text += "1,2,3\n";
  const auto read = [&] { (void)read_on_ranks(text, GetParam()); };
  EXPECT_EQ(support::message_of<DataError>(read), "t.csv:602: 3 columns, header has 2");
}

/// What prepare_data gives on several ranks, row by row, as on one.
struct Prepared {
  Preprocessor::Parts parts;
  DataFingerprint fingerprint;
  std::vector<std::string> notes;
  using Row = std::tuple<std::vector<float>, double, double>;
  std::array<std::map<std::uint64_t, Row>, 3> rows;
};

void add_rows(const Dataset& data, const std::vector<std::uint64_t>& numbers,
              std::map<std::uint64_t, Prepared::Row>& rows) {
  ASSERT_EQ(data.rows, numbers.size());
  for (std::size_t i = 0; i < data.rows; ++i) {
    std::vector<float> features;
    if (data.is_sparse()) {
      for (std::size_t e = data.start[i]; e < data.start[i + 1]; ++e) {
        features.push_back(static_cast<float>(data.column[e]));
        features.push_back(data.entry(e));
      }
    } else {
      const auto begin = data.dense.begin() + static_cast<std::ptrdiff_t>(i * data.features);
      features.assign(begin, begin + static_cast<std::ptrdiff_t>(data.features));
    }
    const bool is_new =
        rows.emplace(numbers[i], Prepared::Row{features, data.targets[i], data.weight(i)}).second;
    EXPECT_TRUE(is_new) << numbers[i];
  }
}

Prepared prepared_on_one(const DataOptions& options) {
  const PreparedData data = prepare_data(options, 5);
  Prepared result{data.preprocessor.parts(), data.fingerprint, data.notes, {}};
  const auto add = [&](const Dataset& part, const std::vector<Index>& rows, std::size_t which) {
    add_rows(part, {rows.begin(), rows.end()}, result.rows.at(which));
  };
  add(data.train, data.rows.train, 0);
  add(data.valid, data.rows.valid, 1);
  add(data.test, data.rows.test, 2);
  return result;
}

void check_shards(const ShardedRows& rows, Communicator& ranks) {
  EXPECT_EQ(rows.shards, 8U);
  EXPECT_EQ(rows.first_shard, first_shard_of(ranks.rank(), ranks.size(), 8));
  ASSERT_EQ(rows.shard_start.size() - 1,
            first_shard_of(ranks.rank() + 1, ranks.size(), 8) - rows.first_shard);
  EXPECT_EQ(rows.shard_start.back(), rows.data.rows);
  EXPECT_EQ(sum_of(ranks, rows.data.rows), rows.total_rows);
  for (std::size_t s = 0; s + 1 < rows.shard_start.size(); ++s) {
    for (std::size_t i = rows.shard_start[s]; i < rows.shard_start[s + 1]; ++i) {
      EXPECT_EQ(shard_of(rows.row[i], 8), rows.first_shard + s);
      EXPECT_EQ(rank_of_shard(rows.first_shard + s, ranks.size(), 8), ranks.rank());
      if (i > rows.shard_start[s]) {
        EXPECT_LT(rows.row[i - 1], rows.row[i]);
      }
    }
  }
}

Prepared prepared_on_ranks(const DataOptions& options, std::size_t count) {
  Prepared result;
  std::mutex mutex;
  run_on_threads(count, [&](Communicator& ranks) {
    const ShardedData data = prepare_sharded(options, 5, 8, ranks);
    for (const ShardedRows* part : {&data.train, &data.valid, &data.test}) {
      check_shards(*part, ranks);
    }
    const std::scoped_lock lock(mutex);
    add_rows(data.train.data, data.train.row, result.rows[0]);
    add_rows(data.valid.data, data.valid.row, result.rows[1]);
    add_rows(data.test.data, data.test.row, result.rows[2]);
    if (result.notes.empty()) {
      result.parts = data.preprocessor.parts();
      result.fingerprint = data.fingerprint;
      result.notes = data.notes;
    }
    EXPECT_EQ(data.preprocessor.parts(), result.parts);
    EXPECT_EQ(data.notes, result.notes);
  });
  return result;
}

void expect_equal(const Prepared& one, const Prepared& other) {
  EXPECT_EQ(one.parts, other.parts);
  EXPECT_EQ(one.fingerprint, other.fingerprint);
  EXPECT_EQ(one.notes, other.notes);
  EXPECT_EQ(one.rows, other.rows);
}

TEST_P(OnRanks, prepared_data_is_that_of_one_rank) {
  const std::string path = write(made_table(400, 3));
  const std::vector<DataOptions> cases = {
      {.data = path, .target = "y"},
      {.data = path, .target = "y", .weight = "w"},
      {.data = path, .target = "y", .raw_features = true},
      {.data = path, .target = "city"},
      {.data = path, .target = "w", .task = TaskChoice::multiclass, .split = {0.7, 0.3, 0}},
      {.data = path, .target = "price", .split = {1, 0, 0}, .test_data = path},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    expect_equal(prepared_on_ranks(cases[i], GetParam()), prepared_on_one(cases[i]));
  }
}

TEST_P(OnRanks, errors_are_those_of_one_rank) {
  const std::string path = write(made_table(300, 4));
  std::vector<DataOptions> cases = {
      {.data = path, .target = "z"},
      {.data = path, .target = "note", .task = TaskChoice::regression},
      {.data = path, .target = "y", .strict = true},
      {.data = path, .target = "city", .task = TaskChoice::binary},
      {.data = path, .target = "y", .split = {0.5, 0.5}},
  };
  for (const DataOptions& options : cases) {
    const auto message = [](const auto& work) -> std::string {
      try {
        work();
      } catch (const std::exception& error) {
        return error.what();
      }
      return "none";
    };
    const std::string expected = message([&] { (void)prepared_on_one(options); });
    EXPECT_NE(expected, "none");
    EXPECT_EQ(message([&] { (void)prepared_on_ranks(options, GetParam()); }), expected);
  }
}

// One rank finds it, not always that with the first such row.
TEST_P(OnRanks, an_error_of_a_row_ends_all) {
  const DataOptions options{.data = write(made_table(300, 4)), .target = "y", .weight = "x"};
  const std::string error =
      support::message_of<DataError>([&] { (void)prepared_on_ranks(options, GetParam()); });
  EXPECT_NE(error.find("weight 'x' is "), std::string::npos) << error;
}

TEST(ReadOnRanks, refuses_what_cannot_be_read_in_parts) {
  const auto error_of = [](const std::string& name) {
    return support::message_of<DataError>(
        [&] { run_on_threads(2, [&](Communicator& ranks) { (void)read_data(name, {}, ranks); }); });
  };
  EXPECT_NE(error_of("normal").find("is not a file: several ranks read text files"),
            std::string::npos);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.svm";
  std::ofstream(path) << "1 1:2 2:3\n-1 1:3\n";
  EXPECT_NE(error_of(path.string()).find("is not a text file in columns"), std::string::npos);
}

TEST(Shards, ranks_own_consecutive_shards) {
  for (const std::size_t ranks : {1U, 2U, 3U, 4U, 7U, 64U}) {
    EXPECT_EQ(first_shard_of(0, ranks, 64), 0U);
    EXPECT_EQ(first_shard_of(ranks, ranks, 64), 64U);
    for (std::size_t shard = 0; shard < 64; ++shard) {
      const std::size_t rank = rank_of_shard(shard, ranks, 64);
      EXPECT_LE(first_shard_of(rank, ranks, 64), shard);
      EXPECT_LT(shard, first_shard_of(rank + 1, ranks, 64));
    }
  }
}

}  // namespace
}  // namespace adacvar
