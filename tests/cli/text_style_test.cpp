#include "cli/text_style.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace adacvar::cli {
namespace {

/// Makes standard output an invisible terminal during its lifetime.
class OnTerminal {
 public:
  OnTerminal() : kept_(::dup(STDOUT_FILENO)), master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    std::fflush(stdout);
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) return;
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    if (slave < 0) return;
    ::dup2(slave, STDOUT_FILENO);
    ::close(slave);
  }
  ~OnTerminal() {
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
    ::close(master_);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;
  OnTerminal(OnTerminal&&) = delete;
  OnTerminal& operator=(OnTerminal&&) = delete;

 private:
  int kept_;
  int master_;
};

TextStyle style_on_terminal() {
  const OnTerminal terminal;
  return text_style();
}

TEST(TextStyle, colour_is_for_terminals_and_no_color_turns_it_off) {
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(style_on_terminal().colour);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(style_on_terminal().colour);
  ::setenv("NO_COLOR", "", 1);  // empty is as good as unset, by no-color.org
  EXPECT_TRUE(style_on_terminal().colour);
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(style_on_terminal().colour);
}

TEST(TextStyle, bars_are_ascii_unless_the_locale_is_utf8) {
  ::unsetenv("LC_ALL");
  ::unsetenv("LC_CTYPE");
  ::setenv("LANG", "C", 1);
  EXPECT_FALSE(text_style().unicode);
  ::setenv("LANG", "de_CH.UTF-8", 1);
  EXPECT_TRUE(text_style().unicode);
  ::setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(text_style().unicode);
}

}  // namespace
}  // namespace adacvar::cli
