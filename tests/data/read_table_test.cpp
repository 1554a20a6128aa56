#include "data/read_table.hpp"
#include <adacvar/base/error.hpp>

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace adacvar {
namespace {

TEST(FindFileKind, by_content) {
  const support::TemporaryFolder folder;
  const auto kind = [&](const std::string& text) {
    return find_file_kind(folder.write("f", text));
  };
  EXPECT_EQ(kind("\x93NUMPY\x01"), FileKind::npy);
  for (const char* text : {"1 1:2\n", "# made by hand\n\n-1 3:0.5 7:1e3 # last\r\n", "+1 qid:3 1:2",
                           "1\n-1 # no features\r\n+1 2:3\n"}) {
    EXPECT_EQ(kind(text), FileKind::libsvm) << text;
  }
  for (const char* text :
       {"a,b\n1,2\n", "1 2\n3 4\n", "1 12:30:00\n", "12:30\n", "1\n2\n", "\n", "1\n2\n3 4:x\n",
        "1\nNA\n2 1:2\n", "1 a:2\n", "1 :2\n", "1,1:2\n", "1 \"1:2\"\n"}) {
    EXPECT_EQ(kind(text), FileKind::csv) << text;
  }
  EXPECT_THROW((void)find_file_kind(folder.path() / "none"), DataError);
}

}  // namespace
}  // namespace adacvar
