// A full disk, a read-only folder, damaged files: a clear error, and the last good file is kept.

#include <adacvar/base/rng.hpp>

#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar::cli {
namespace {

namespace fs = std::filesystem;
using support::content_of;
using support::Outcome;
using support::TemporaryFolder;

using Files = std::map<std::string, std::string>;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kDiskSize = std::size_t{1} << 24U;
constexpr const char* kFiller = "filler";

Outcome run_line(const std::string& line, const fs::path& folder) {
  std::istringstream in(line);
  return support::run_program(ADACVAR_PROGRAM, {std::istream_iterator<std::string>(in), {}},
                              folder);
}

/// All files below a folder but the filler, by path.
Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == kFiller) continue;
    files[fs::relative(entry.path(), folder).string()] = content_of(entry.path());
  }
  return files;
}

/// A small disk that only this process and those that it starts see.
class Disk {
 public:
  explicit Disk(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directory(folder_);
    is_mounted_ = ::unshare(CLONE_NEWNS) == 0 &&
                  ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                  ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=16m") == 0;
  }
  ~Disk() {
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  Disk(Disk&&) = delete;
  Disk& operator=(Disk&&) = delete;

  [[nodiscard]] bool is_mounted() const { return is_mounted_; }

  /// Leaves room for so many bytes.
  void fill(std::size_t left) const {
    const fs::path filler = folder_ / kFiller;
    fs::remove(filler);
    const std::uintmax_t size = fs::space(folder_).available;
    if (left >= size) return;
    std::ofstream out(filler, std::ios::binary);
    const std::string page(kPage, 'x');
    for (std::uintmax_t written = 0; written + left < size; written += kPage) out << page;
  }

  void make_read_only() const {
    ASSERT_EQ(::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=16m"), 0);
  }

 private:
  fs::path folder_;
  bool is_mounted_ = false;
};

/// A command that writes to the folder disk/: first where there is room, then `again`.
struct Writer {
  std::string name;
  std::string first;
  std::string again;
  bool is_slow = false;
};

void prepare(const fs::path& folder) {
  fs::copy_file(fs::path(ADACVAR_SOURCE) / "tests/cli/golden/data.csv", folder / "data.csv");
  const Outcome model =
      run_line("train data.csv --target y --drop f --epochs 2 --model m.json -q", folder);
  ASSERT_EQ(model.code, 0) << model.err;
}

class Faults : public testing::TestWithParam<Writer> {};

TEST_P(Faults, leave_the_last_good_files) {
  const TemporaryFolder folder;
  prepare(folder.path());
  const Disk disk(folder.path() / "disk");
  if (!disk.is_mounted()) GTEST_SKIP() << "only root may mount a small disk";
  const Outcome first = run_line(GetParam().first, folder.path());
  ASSERT_EQ(first.code, 0) << first.err;
  const Files good = files_in(folder.path() / "disk");
  ASSERT_FALSE(good.empty());
  // With ever more room, until there is enough.
  Outcome outcome;
  for (std::size_t left = 0; outcome.code != 0;
       left = GetParam().is_slow ? kDiskSize : std::max(kPage, 2 * left)) {
    SCOPED_TRACE(left);
    ASSERT_LE(left, kDiskSize);
    disk.fill(left);
    outcome = run_line(GetParam().again, folder.path());
    if (left == 0) {
      EXPECT_EQ(outcome.code, 2) << outcome.err;
    }
    if (outcome.code == 0) break;
    EXPECT_EQ(outcome.code, 2);
    EXPECT_PRED2(support::has_words, outcome.err, "cannot write ... disk/ ... No space left");
    if (GetParam().name.find("folder") == std::string::npos) {
      EXPECT_EQ(files_in(folder.path() / "disk"), good);
    } else {  // each file is old or new
      for (const auto& [name, bytes] : files_in(folder.path() / "disk")) {
        EXPECT_EQ(name.find(".part-"), std::string::npos) << name;
        EXPECT_FALSE(bytes.empty()) << name;
      }
    }
  }
  const Files last = files_in(folder.path() / "disk");
  EXPECT_EQ(last.size(), good.size());
  disk.make_read_only();
  outcome = run_line(GetParam().first, folder.path());
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_PRED2(support::has_words, outcome.err, "disk ... Read-only file system");
  EXPECT_EQ(files_in(folder.path() / "disk"), last);
}

std::vector<Writer> writers() {
  const std::string data = " data.csv --target y --drop f -q";
  const auto seeds = [&](const std::string& name, const std::string& line) {
    return Writer{name, line + " --seed 1", line + " --seed 2"};
  };
  std::vector<Writer> all{
      seeds("train", "train --epochs 2 --model disk/m.json" + data),
      seeds("trace", "train --epochs 2 --trace disk/t.jsonl" + data),
      seeds("report", "train --epochs 2 --report disk/r.html" + data),
      seeds("figures_folder", "train --epochs 2 --figures disk/f" + data),
      seeds("compare_folder", "compare --epochs 2 --model disk/models" + data),
      seeds("tune", "train --tune --epochs 1 --model disk/m.json" + data),
      seeds("frontier", "frontier --points 4 --csv disk/c.csv" + data),
      seeds("frontier_model", "frontier --points 4 --model disk/m.json" + data),
      seeds("correct", "correct data.csv --target y --prediction f -q --model disk/m.json"),
      {"predict", "predict m.json data.csv -q --output disk/p.csv",
       "predict m.json data.csv -q --keep kind --output disk/p.csv"},
      seeds("evaluate", "evaluate m.json data.csv -q --report disk/e.html"),
      seeds("make", "data make pareto --rows 300 --output disk/d.csv"),
      {"reproduce_folder", "reproduce convex --sets sinc --make-rows 60 --seeds 1 --out disk/r -q",
       "reproduce convex --sets sinc --make-rows 60 --seeds 2 --out disk/r -q"},
#ifdef ADACVAR_WITH_TREES
      seeds("trees", "train --trees --rounds 5 --model disk/t.json" + data),
      {"best", "best --folds 2 --model disk/s.json --seed 1" + data,
       "best --folds 2 --model disk/s.json --seed 2" + data, true},
#endif
#ifdef ADACVAR_WITH_NETWORKS
      seeds("network", "train --network mlp:2 --epochs 1 --model disk/n.json" + data),
#endif
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Commands, Faults, testing::ValuesIn(writers()),
                         [](const auto& writer) { return writer.param.name; });

/// A command without a fault leaves `file`; `read` reads it when it is damaged.
struct Reader {
  std::string name;
  std::string write;
  std::string file;  // in a folder: all of its files
  std::string read;
  int places = 40;  // where it is truncated, and where a bit is changed
};

class Damage : public testing::TestWithParam<Reader> {
 protected:
  /// The damaged file is refused by name and left alone, or the change has no effect.
  void expect_refused(const fs::path& file, const std::string& bytes, const Files& expected) {
    std::ofstream(file, std::ios::binary) << bytes;
    fs::remove_all(folder_.path() / "out");
    fs::create_directory(folder_.path() / "out");
    const Outcome outcome = run_line(GetParam().read, folder_.path());
    if (outcome.code == 0) {
      EXPECT_EQ(files_in(folder_.path() / "out"), expected);
      return;
    }
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_PRED2(support::has_words, outcome.err, file.filename().string());
    EXPECT_EQ(content_of(file), bytes);
    EXPECT_TRUE(files_in(folder_.path() / "out").empty());
  }

  void damage(const fs::path& file, const Files& expected) {
    const std::string whole = content_of(file);
    Rng rng(5);
    for (int i = 0; i < GetParam().places; ++i) {
      const auto at = rng.below(static_cast<std::uint32_t>(whole.size()));
      SCOPED_TRACE(file.string() + ", byte " + std::to_string(at));
      expect_refused(file, whole.substr(0, at), expected);
      std::string altered = whole;
      altered[at] = static_cast<char>(altered[at] ^ (1 << rng.below(8)));
      expect_refused(file, altered, expected);
    }
    std::ofstream(file, std::ios::binary) << whole;
  }

  TemporaryFolder folder_;
};

TEST_P(Damage, is_noticed_wherever_it_is) {
  prepare(folder_.path());
  fs::create_directory(folder_.path() / "out");
  const Outcome wrote = run_line(GetParam().write, folder_.path());
  ASSERT_EQ(wrote.code, 0) << wrote.err;
  const fs::path path = folder_.path() / GetParam().file;
  const Files before = fs::is_directory(path) ? files_in(path) : Files{};
  const Outcome intact = run_line(GetParam().read, folder_.path());
  ASSERT_EQ(intact.code, 0) << intact.err;
  const Files expected = files_in(folder_.path() / "out");
  ASSERT_FALSE(expected.empty());
  if (!fs::is_directory(path)) return damage(path, expected);
  ASSERT_FALSE(before.empty());
  for (const auto& [name, bytes] : before) damage(path / name, expected);
}

std::vector<Reader> readers() {
  const std::string data = " data.csv --target y --drop f -q";
  const auto predict = [](const std::string& model) {
    return "predict " + model + " data.csv -q --output out/p.csv";
  };
  const std::string resumable = "train --epochs 3 --checkpoint c" + data;
  const std::string tuned = "train --tune --epochs 2 --checkpoint runs" + data;
  const std::string compared = "compare --epochs 2 --checkpoint runs" + data;
#ifdef ADACVAR_WITH_TREES
  const std::string folds = "best --folds 2 --checkpoint folds" + data;
#endif
  std::vector<Reader> all{
      {"linear", "train --epochs 2 --model n.json" + data, "n.json", predict("n.json"), 150},
      {"evaluate", "train --epochs 2 --model n.json" + data, "n.json",
       "evaluate n.json data.csv -q --figures out", 20},
      {"corrected", "correct data.csv --target y --prediction f -q --model n.json", "n.json",
       predict("n.json"), 40},
      {"checkpoint", resumable, "c", resumable + " --model out/m.json", 60},
      {"tune_folder", tuned, "runs", tuned + " --model out/m.json", 1},
      {"compare_folder", compared, "runs", compared + " --model out", 5},
#ifdef ADACVAR_WITH_TREES
      {"trees", "train --trees --rounds 4 --model n.json" + data, "n.json", predict("n.json"), 40},
      {"xgboost", "train --trees --rounds 4 --model n.json" + data, "n.json.xgb.json",
       predict("n.json"), 40},
      {"stack", "best --folds 2 --model n.json" + data, "n.json", predict("n.json"), 5},
      {"folds", folds, "folds/linear-1.json", folds + " --model out/m.json", 4},
#endif
#ifdef ADACVAR_WITH_NETWORKS
      {"network", "train --network mlp:2 --epochs 1 --model n.json" + data, "n.json",
       predict("n.json"), 4},
      {"weights", "train --network mlp:2 --epochs 1 --model n.json" + data, "n.json.pt",
       predict("n.json"), 4},
#endif
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Files, Damage, testing::ValuesIn(readers()),
                         [](const auto& reader) { return reader.param.name; });

// What was computed is not lost with the checkpoints.
TEST(FullDisk, training_continues_without_checkpoints_and_says_so) {
  const std::string data = " data.csv --target y --drop f -q";
  for (const std::string command :
       {"train --epochs 3 --model m.json", "train --tune --epochs 2 --model m.json",
        "compare --epochs 2 --model models",
        "frontier --algorithm adacvar --epochs 2 --csv c.csv"}) {
    SCOPED_TRACE(command);
    const TemporaryFolder folder;
    prepare(folder.path());
    ASSERT_EQ(run_line(command + data, folder.path()).code, 0);
    const Files expected = files_in(folder.path());
    const Disk disk(folder.path() / "disk");
    if (!disk.is_mounted()) GTEST_SKIP() << "only root may mount a small disk";
    disk.fill(kPage);
    const Outcome outcome = run_line(command + " --checkpoint disk/state" + data, folder.path());
    EXPECT_EQ(outcome.code, 2);
    EXPECT_PRED2(support::has_words, outcome.err,
                 "cannot write ... disk/state ... No space left ... without checkpoints");
    disk.fill(0);
    fs::remove_all(folder.path() / "disk" / "state");
    Files found = files_in(folder.path());
    for (const char* output : {".out", ".err"}) found[output] = expected.at(output);
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace adacvar::cli
