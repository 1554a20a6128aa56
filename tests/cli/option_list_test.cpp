#include "cli/option_list.hpp"

#include "cli/csv_text.hpp"
#include "cli/progress_line.hpp"
#include "data/read_table.hpp"
#include "support/expect_words.hpp"
#include "support/message_of.hpp"

#include <adacvar/adacvar.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace adacvar::cli {
namespace {

using support::expect_words;
using support::message_of;
using Words = std::vector<std::string>;

TEST(ReadNumber, takes_the_whole_text_or_nothing) {
  EXPECT_EQ(read_number("a", "1"), 1);
  EXPECT_EQ(read_number("a", "-2.5e-3"), -0.0025);
  EXPECT_EQ(read_number("a", ".5"), 0.5);
  EXPECT_EQ(read_number("a", "2.5%"), 0.025);
  EXPECT_EQ(read_number("a", "2.5 %"), 0.025);
  EXPECT_EQ(read_number("a", "5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(read_number("a", "nan")));  // a number to read, outside every range
  for (const char* bad : {"", " 1", "1 ", "0x10", "1,5", "1e", "one", "--1", "+1", "1e400", "1..2",
                          "%", "1  %", "1%%"}) {
    expect_words<OptionError>([&] { (void)read_number("a", bad); },
                              "a = '" + std::string(bad) + "' is not a number");
  }
}

TEST(ReadCount, is_an_integer_in_any_form) {
  const Bounds any{.low = 0};
  EXPECT_EQ(read_count("n", "0", any), 0U);
  EXPECT_EQ(read_count("n", "007", any), 7U);
  EXPECT_EQ(read_count("n", "1e6", any), 1'000'000U);
  EXPECT_EQ(read_count("n", "2.50e1", any), 25U);
  EXPECT_EQ(read_count("n", "3.0", any), 3U);
  EXPECT_EQ(read_count("n", "18446744073709551615", any),
            std::numeric_limits<std::uint64_t>::max());
  for (const char* bad : {"", " 1", "1.5", "-1", "1e-1", "nan", "inf", "0x10", "1e400", "1e16",
                          "18446744073709551616", "many"}) {
    expect_words<OptionError>([&] { (void)read_count("n", bad, any); },
                              "n = '" + std::string(bad) + "' is not an integer in [0, inf)");
  }
}

TEST(ReadCount, keeps_to_its_bounds_in_any_form) {
  const Bounds few{.low = 1, .high = 100};
  EXPECT_EQ(read_count("n", "1e2", few), 100U);
  for (const char* bad : {"0", "101", "1e3"}) {
    expect_words<OptionError>(
        [&] { (void)read_count("n", bad, few); },
        "n = " + std::to_string(static_cast<int>(std::stod(bad))) + " is outside [1, 100]");
  }
}

TEST(ReadList, splits_at_commas_and_has_no_empty_items) {
  EXPECT_EQ(read_list("l", ""), Words{});
  EXPECT_EQ(read_list("l", "a"), Words{"a"});
  EXPECT_EQ(read_list("l", "a,b c,d"), (Words{"a", "b c", "d"}));
  for (const char* bad : {",", "a,", ",a", "a,,b", "a, ,b"}) {
    expect_words<OptionError>([&] { (void)read_list("l", bad); },
                              "l = '" + std::string(bad) + "' has an empty item");
  }
}

TEST(ReadList, reads_blanks_and_quotes_as_csv_has_them) {
  EXPECT_EQ(read_list("l", " a , b\t"), (Words{"a", "b"}));
  EXPECT_EQ(read_list("l", R"("a,b", c," d ","say ""e""")"),
            (Words{"a,b", "c", " d ", "say \"e\""}));
  expect_words<OptionError>([&] { (void)read_list("l", "\"a,b"); },
                            "l = '\"a,b': quote is not closed");
  expect_words<OptionError>([&] { (void)read_list("l", "\"a\"b"); },
                            "l = '\"a\"b': text after a closing quote");
}

TEST(ReadFlag, is_true_or_false) {
  EXPECT_TRUE(read_flag("s", "true"));
  EXPECT_FALSE(read_flag("s", "false"));
  for (const char* bad : {"", "1", "True", "yes"}) {
    expect_words<OptionError>([&] { (void)read_flag("s", bad); },
                              "s = '" + std::string(bad) + "' is not one of: true, false");
  }
}

TEST(ReadChoice, is_one_of_the_names) {
  const Words names{"sgd", "adam"};
  EXPECT_EQ(read_choice("c", "sgd", names), 0U);
  EXPECT_EQ(read_choice("c", "adam", names), 1U);
  for (const char* bad : {"", "SGD", "ada", "0"}) {
    EXPECT_TRUE(message_of<OptionError>([&] {
                  (void)read_choice("c", bad, names);
                }).starts_with("c = '" + std::string(bad) + "' is not one of: sgd, adam"));
  }
}

TEST(ShortestText, reads_back_as_the_same_number) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 50.0, 1e22}) {
    EXPECT_EQ(read_number("a", shortest_text(value)), value);
  }
  EXPECT_EQ(shortest_text(0.1), "0.1");
}

struct Sample {
  double share = 0.5;
  std::uint64_t count = 3;
  std::optional<double> eta = {};
  std::vector<double> alphas = {};
  LossKind kind = LossKind::huber;
  std::string text = "default";
  std::vector<std::string> names = {};
  bool quiet = false;

  static const std::vector<OptionSpec>& options() {
    using O = Sample;
    static const std::vector<OptionSpec> all{
        {"share", &O::share, Bounds{.low = 0, .high = 1, .low_ok = false}, "a share"},
        {"count", &O::count, Bounds{.low = 1}, "a count"},
        {"eta", &O::eta, Bounds{.low = 0}, "a step"},
        {"alphas", &O::alphas, Bounds{.low = 0, .high = 1}, "shares"},
        {"kind", &O::kind, kLossNames, "a loss"},
        {"text", &O::text, "a text"},
        {"names", &O::names, "names"},
        {"quiet", &O::quiet, "says nothing"},
    };
    return all;
  }
};

TEST(OptionList, sets_every_kind_of_member) {
  Sample sample;
  OptionList list;
  list.add("Group", sample);
  const auto set = [&](const char* name, const char* value) {
    list.find_or_null(name)->set(value);
  };
  set("share", "1");
  set("count", "1e3");
  set("eta", "0.25");
  set("alphas", "0.1,1");
  set("kind", "hinge");
  set("text", "");
  set("names", "a,b");
  set("quiet", "true");
  EXPECT_EQ(sample.share, 1);
  EXPECT_EQ(sample.count, 1000U);
  EXPECT_EQ(sample.eta, 0.25);
  EXPECT_EQ(sample.alphas, (std::vector<double>{0.1, 1}));
  EXPECT_EQ(sample.kind, LossKind::hinge);
  EXPECT_EQ(sample.text, "");
  EXPECT_EQ(sample.names, (Words{"a", "b"}));
  EXPECT_TRUE(sample.quiet);
  set("eta", "auto");
  set("alphas", "");
  EXPECT_EQ(sample.eta, std::nullopt);
  EXPECT_TRUE(sample.alphas.empty());
}

TEST(OptionList, a_refused_value_changes_nothing) {
  Sample sample;
  OptionList list;
  list.add("Group", sample);
  const auto refused = [&](const char* name, const char* value, const std::string& words) {
    expect_words<OptionError>([&] { list.find_or_null(name)->set(value); }, words);
  };
  refused("share", "nan", "share = nan is outside (0, 1]");
  refused("share", "0", "share = 0 is outside (0, 1]");
  refused("count", "0", "count = 0 is outside [1, inf)");
  refused("eta", "inf", "eta = inf is outside [0, inf)");
  refused("eta", "Auto", "eta = 'Auto' is not a number");
  refused("alphas", "0.5,2", "alphas = 2 is outside [0, 1]");
  refused("alphas", "0.5,", "alphas = '0.5,' has an empty item");
  EXPECT_EQ(sample.share, 0.5);
  EXPECT_EQ(sample.count, 3U);
  EXPECT_EQ(sample.eta, std::nullopt);
  EXPECT_TRUE(sample.alphas.empty());
}

TEST(OptionList, describes_each_option_once_and_leaves_out_those_named) {
  Sample sample;
  OptionList list;
  list.add("Group", sample, {"quiet", "kind"});
  EXPECT_EQ(list.all().size(), 6U);
  EXPECT_EQ(list.find_or_null("quiet"), nullptr);
  const CliOption& share = *list.find_or_null("share");
  EXPECT_EQ(share.group, "Group");
  EXPECT_EQ(share.help, "a share");
  EXPECT_EQ(share.allowed, "(0, 1]");
  EXPECT_EQ(share.default_text, "0.5");
  EXPECT_FALSE(list.all().back().is_flag) << "an omitted option does not affect its neighbour";
  EXPECT_TRUE(list.find_or_null("alphas")->choices.empty());
  EXPECT_THROW(list.set_letter("quiet", 'q'), std::logic_error);
}

TEST(ProgressText, durations_are_clock_times) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(-1), "0:00");
  EXPECT_EQ(duration_text(7.4), "0:07");
  EXPECT_EQ(duration_text(59.5), "1:00");
  EXPECT_EQ(duration_text(750), "12:30");
  EXPECT_EQ(duration_text(3599.4), "59:59");
  EXPECT_EQ(duration_text(3599.6), "1:00:00");
  EXPECT_EQ(duration_text(10'805), "3:00:05");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "277777:46:40");
}

TEST(ProgressText, bars_fill_from_the_left) {
  EXPECT_EQ(bar_text(0, 4), "[....]");
  EXPECT_EQ(bar_text(0.5, 4), "[##..]");
  EXPECT_EQ(bar_text(0.99, 4), "[###.]");
  EXPECT_EQ(bar_text(1, 4), "[####]");
  EXPECT_EQ(bar_text(-3, 4), "[....]");
  EXPECT_EQ(bar_text(1.5, 4), "[####]");
  EXPECT_EQ(bar_text(0.5, 0), "[]");
}

TEST(ProgressText, a_line_fits_its_terminal) {
  const std::string text = "epoch 7/50";
  EXPECT_EQ(bar_line(0.5, text, 80), "[############............] epoch 7/50");
  EXPECT_EQ(bar_line(0.5, text, 38), "[############............] epoch 7/50");
  EXPECT_EQ(bar_line(0.5, text, 37), "[###########............] epoch 7/50");
  EXPECT_EQ(bar_line(0.5, text, 18), "[##..] epoch 7/50");
  EXPECT_EQ(bar_line(0.5, text, 17), "epoch 7/50");
  EXPECT_EQ(bar_line(0.5, text, 6), "epoch");
  EXPECT_EQ(bar_line(0.5, text, 0), "");
}

TEST(CsvField, has_quotes_where_it_needs_them) {
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
  EXPECT_EQ(csv_field("a\t"), "\"a\t\"");
}

TEST(CsvField, reads_back_as_it_was) {
  for (const std::string text : {"a", "a,b", "\"", "\"\"a", "x\ny", "x\r\ny", " a ", "\ta", "a\t",
                                 "a;b", "caf\xc3\xa9", "#a"}) {
    const Table table = parse_csv("name,n\n" + csv_field(text) + ",1\nother,2\n", "t.csv",
                                  {.separator = ',', .header = true});
    EXPECT_EQ(table.columns[0].levels[0], text);
  }
}

}  // namespace
}  // namespace adacvar::cli
