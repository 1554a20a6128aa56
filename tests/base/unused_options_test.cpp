#include "base/unused_options.hpp"

#include "base/option_states.hpp"
#include "support/expect_words.hpp"

#include <adacvar/adacvar.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace adacvar {
namespace {

using Words = std::vector<std::string>;

TEST(Condition, has_a_text_for_the_library_and_for_the_command_line) {
  EXPECT_EQ(Condition().text(), "");
  EXPECT_TRUE(Condition().is_always());
  EXPECT_EQ(with("loss", {"huber"}).text(), "only with loss = huber");
  EXPECT_EQ(with("loss", {"huber"}).text("--", " "), "only with --loss huber");
  EXPECT_EQ(with("tune").text(), "only with tune");
  EXPECT_EQ(without("network").text("--", " "), "not with --network");
  EXPECT_EQ((with("a", {"1", "2", "3"}) && without("b", {"4"})).text(),
            "only with a = 1, 2 or 3 but not with b = 4");
  EXPECT_EQ((with("a", {"1"}) || with("b")).text(), "only with a = 1, or with b");
  EXPECT_EQ((Condition({.option = "a", .words = "for sets"}) ||
             Condition({.option = "b", .words = "for sets"}))
                .text(),
            "only for sets");
}

TEST(Condition, text_names_exclusions) {
  EXPECT_EQ((without("a") && without("b", {"1"}) && without("c")).text(), "not with a, b = 1 or c");
  EXPECT_EQ((with("a") && with("b") && without("c")).text(), "only with a and b but not with c");
  EXPECT_EQ((with("a") || without("b")).text(), "only with a, or not with b");
}

TEST(Condition, known_tests_are_simplified_away) {
  const Condition some = with("a", {"1"}) && with("b", {"2"});
  const auto knows = [](const char* option, bool outcome) {
    return [=](const OptionTest& test) {
      return test.option == option ? std::optional(outcome) : std::nullopt;
    };
  };
  EXPECT_EQ(some.simplify(knows("a", true)).text(), "only with b = 2");
  EXPECT_TRUE((some || with("c")).simplify(knows("c", true)).is_always());
  EXPECT_EQ((some || with("c")).simplify(knows("a", false)).text(), "only with c");
  EXPECT_EQ((some || with("b", {"2"})).simplify(knows("c", true)).text(), "only with b = 2")
      << "a stricter alternative adds nothing";
}

std::vector<OptionState> states(const Words& algorithm, const std::string& schedule) {
  return {{.name = "algorithm", .values = algorithm},
          {.name = "schedule",
           .values = {schedule},
           .condition = with("algorithm", {"mean"}) || with("algorithm", {"soft"})}};
}

OptionState given(const std::string& name, Condition condition) {
  return {.name = name, .values = {"1"}, .is_given = true, .condition = std::move(condition)};
}

void expect_refused(std::vector<OptionState> options, OptionState option,
                    const std::string& words) {
  options.push_back(std::move(option));
  support::expect_words<OptionError>([&] { refuse_unused(options); }, words);
}

TEST(RefuseUnused, names_the_option_its_condition_and_the_current_values) {
  expect_refused(states({"exact"}, "steps"), given("epochs", without("algorithm", {"exact"})),
                 "epochs has no effect ... not with algorithm = exact ... algorithm = exact");
  OptionState option = given("rate", with("schedule", {"constant"}));
  option.location = "run.toml:3: ";
  expect_refused(
      states({"mean"}, "steps"), option,
      "run.toml:3: rate has no effect ... only with schedule = constant ... schedule = steps");
}

TEST(RefuseUnused, option_that_depends_on_an_unused_one_is_unused) {
  expect_refused(states({"exact"}, "steps"), given("decay", with("schedule", {"steps"})),
                 "decay has no effect ... with schedule = steps ... schedule has no effect ... "
                 "with algorithm = "
                 "mean ... algorithm = soft ... algorithm = exact");
}

TEST(RefuseUnused, one_of_several_values_is_enough) {
  std::vector<OptionState> options = states({"adacvar", "soft"}, "steps");
  options.push_back(given("temperature", with("algorithm", {"soft"})));
  options.push_back(given("decay", with("schedule", {"steps"})));
  EXPECT_NO_THROW(refuse_unused(options));
  expect_refused(options, given("tolerance", with("algorithm", {"exact"})),
                 "tolerance has no effect ... only with algorithm = exact ... adacvar,soft");
}

TEST(RefuseUnused, defaults_and_flags_that_are_off_pass) {
  std::vector<OptionState> options = states({"mean"}, "steps");
  options.push_back({.name = "eta", .values = {"1"}, .condition = with("algorithm", {"adacvar"})});
  OptionState off = given("tune", with("algorithm", {"adacvar"}));
  off.values.clear();
  options.push_back(off);
  EXPECT_NO_THROW(refuse_unused(options));
}

TEST(RefuseUnused, an_unknown_option_counts_as_not_given) {
  EXPECT_NO_THROW(refuse_unused({given("a", without("b"))}));
  expect_refused({}, given("a", with("b")), "a has no effect ... only with b");
}

TEST(AddStates, differences_from_the_default_count_as_given) {
  TuneOptions options;
  options.threads = 3;
  std::vector<OptionState> found;
  add_states(options, TuneOptions{}, found);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "tune");
  EXPECT_TRUE(found[0].values.empty());
  EXPECT_EQ(found[1].values, Words{"cvar"});
  EXPECT_EQ(found[1].condition.text(), "only with tune");
  EXPECT_FALSE(found[1].is_given);
  EXPECT_EQ(found[2].values, Words{"3"});
  EXPECT_TRUE(found[2].is_given);
  OptimizerOptions optimizer{.momentum = 0};
  found.clear();
  add_states(optimizer, OptimizerOptions{}, found);
  EXPECT_EQ(found[1].values, Words{"0"}) << "as the command line writes it";
}

}  // namespace
}  // namespace adacvar
