// The program with networks, run as a user runs it.

#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

namespace adacvar {
namespace {

using support::content_of;
using support::Outcome;
using support::run_program;
using support::RunningProgram;
using support::TemporaryFolder;

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Outcome adacvar(const std::string& line, const TemporaryFolder& folder) {
  return run_program(ADACVAR_PROGRAM, words_of(line), folder.path());
}

void expect_words(const std::string& text, const std::string& words) {
  EXPECT_PRED2(support::has_words, text, words);
}

constexpr const char* kTraining =
    "train sinc --make-rows 400 --network mlp:16 --network-threads 1 --epochs 400 --dropout 0.2 "
    "--quiet --model model.json";

TEST(DeepProgram, train_evaluate_predict_and_compare_work_as_with_linear_models) {
  const TemporaryFolder folder;
  const Outcome trained = adacvar(
      "train sinc --make-rows 400 --network mlp:16,8 --epochs 30 --json --model model.json "
      "--report page.html",
      folder);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(nlohmann::json::accept(trained.out));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "model.json.pt"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "page.html"));
  const Outcome evaluated =
      adacvar("evaluate model.json sinc --make-rows 400 --part test --json", folder);
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  const auto before = nlohmann::json::parse(trained.out);
  EXPECT_EQ(before.at("network"), "mlp:16,8");
  EXPECT_EQ(before.at("parameters"), 16 * 11 + 8 * 17 + 9);
  const auto after = nlohmann::json::parse(evaluated.out);
  EXPECT_NE(after.dump().find(before.at("risk").at("test").at("cvar").dump()), std::string::npos)
      << trained.out << evaluated.out;
  const Outcome predicted = adacvar("predict model.json sinc --make-rows 400", folder);
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(std::ranges::count(predicted.out, '\n'), 401);
  const Outcome compared =
      adacvar("compare sinc --make-rows 400 --network mlp:16 --epochs 5", folder);
  ASSERT_EQ(compared.code, 0) << compared.err;
  for (const char* name : {"adacvar", "trunc", "soft", "mean"}) expect_words(compared.out, name);
  expect_words(compared.out, "network: mlp:16, 193 parameters");
  EXPECT_EQ(compared.out.find("exact"), std::string::npos);
}

// Kills twice, each time once the checkpoint `watched` has changed.
void expect_same_after_kills(const std::string& training, const std::string& watched) {
  const TemporaryFolder whole;
  ASSERT_EQ(adacvar(training, whole).code, 0);
  const TemporaryFolder folder;
  const std::string line = training + " --checkpoint state";
  for (int kills = 0; kills < 2; ++kills) {
    const std::string before = content_of(folder.path() / watched);
    const RunningProgram running(ADACVAR_PROGRAM, words_of(line), folder.path());
    // Waits until training has progressed; a program that ends sooner tests nothing.
    while (content_of(folder.path() / watched) == before) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    running.send(SIGKILL);
    ASSERT_EQ(running.wait().code, 128 + SIGKILL);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "model.json"));
  }
  const Outcome resumed = adacvar(line, folder);
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(content_of(folder.path() / "model.json.pt"),
            content_of(whole.path() / "model.json.pt"));
  EXPECT_EQ(content_of(folder.path() / "model.json"), content_of(whole.path() / "model.json"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "state"));  // it has done its work
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "state.tail"));
}

TEST(DeepProgram, killed_and_started_again_it_ends_in_the_same_weights) {
  expect_same_after_kills(kTraining, "state");
}

TEST(DeepProgram, killed_while_it_fine_tunes_it_ends_in_the_same_weights) {
  expect_same_after_kills(
      "train sinc --make-rows 800 --network mlp:16 --network-threads 1 --epochs 20 --fine-tune 10 "
      "--dropout 0.2 --quiet --model model.json",
      "state.tail");
}

// A process that is killed while it writes a checkpoint leaves a part of it behind.
TEST(DeepProgram, part_of_a_checkpoint_left_by_a_kill_is_not_read_and_is_removed) {
  const TemporaryFolder folder;
  const std::string line =
      "train sinc --make-rows 200 --network mlp:4 --epochs 2 --quiet --checkpoint state";
  ASSERT_EQ(adacvar(line, folder).code, 0);
  const std::string complete = content_of(folder.path() / "state");
  const RunningProgram killed(ADACVAR_PROGRAM, words_of(line), folder.path());
  killed.send(SIGKILL);
  (void)killed.wait();
  const std::string part = "state.part-" + std::to_string(killed.process()) + "-0";
  (void)folder.write(part, complete.substr(0, complete.size() / 2));
  const Outcome resumed = adacvar(line, folder);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / part));
  EXPECT_EQ(content_of(folder.path() / "state"), complete);
}

TEST(DeepProgram, checkpoint_of_other_options_is_refused) {
  const TemporaryFolder folder;
  const std::string line = std::string(kTraining) + " --checkpoint state";
  const RunningProgram running(ADACVAR_PROGRAM, words_of(line), folder.path());
  while (!std::filesystem::exists(folder.path() / "state")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  running.send(SIGKILL);
  (void)running.wait();
  const Outcome other = adacvar(line + " --alpha 0.2", folder);
  EXPECT_EQ(other.code, 3);
  expect_words(other.err, "state: ... checkpoint ... other");
}

TEST(DeepProgram, bad_input_is_refused_with_key_words) {
  const TemporaryFolder folder;
  struct Case {
    const char* line;
    int code;
    const char* words;
  };
  for (const Case& given : {
           Case{
               "train sinc --network lenet", 2,
               "network = 'lenet' is not one of: mlp, lenet5, lenet5-paper, resnet18, vgg16-bn, or "
               "a TorchScript file ending in .pt"},
           Case{"train sinc --network lenet5", 2, "lenet5 needs images"},
           Case{"train sinc --network mlp:0", 2, "mlp:0"},
           Case{"train sinc --network none.pt", 3, "none.pt: ... TorchScript file"},
           Case{"train sinc --network mlp --algorithm exact", 2, "algorithm = exact"},
           Case{"train sinc --network mlp --ridge 1", 2, "ridge has no effect: not with network"},
           Case{"train sinc --network mlp --certify yes", 2, "certify has no effect"},
           Case{"train sinc --network mlp --width 2", 2, "width = 2 is outside (0, 1]"},
           Case{"train sinc --network mlp --augment crop", 2, "augment needs images"},
           Case{"reproduce mnist --data-dir nowhere", 3, "nowhere"},
           Case{"reproduce mnist --upsample", 2, "upsample has no effect: only"},
       }) {
    const Outcome outcome = adacvar(given.line, folder);
    EXPECT_EQ(outcome.code, given.code) << given.line << outcome.err;
    expect_words(outcome.err, given.words);
    EXPECT_EQ(outcome.out, "") << given.line;
  }
}

TEST(DeepProgram, weights_that_are_not_those_of_the_model_are_refused) {
  const TemporaryFolder folder;
  ASSERT_EQ(
      adacvar("train sinc --make-rows 200 --network mlp:4 --epochs 1 --model m.json", folder).code,
      0);
  const auto weights = folder.path() / "m.json.pt";
  std::string bytes = content_of(weights);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  (void)folder.write("m.json.pt", bytes);
  const Outcome changed = adacvar("predict m.json sinc", folder);
  EXPECT_EQ(changed.code, 3);
  expect_words(changed.err, "m.json.pt: does not hold the weights");
  std::filesystem::remove(weights);
  const Outcome missing = adacvar("predict m.json sinc", folder);
  EXPECT_EQ(missing.code, 3);
  expect_words(missing.err, "m.json.pt");
}

TEST(DeepProgram, alone_the_everyday_program_says_what_is_missing) {
  const TemporaryFolder folder;
  const auto copy = folder.path() / "adacvar";
  std::filesystem::copy_file(ADACVAR_PROGRAM, copy);
  const Outcome outcome =
      run_program(copy.string(), words_of("train sinc --network mlp"), folder.path());
  EXPECT_EQ(outcome.code, 2);
  expect_words(outcome.err, "networks are not part of this build: they need libtorch");
}

// Exported from Python, trained here, saved back, used in Python.
TEST(DeepProgram, torchscript_goes_there_and_back) {
  const TemporaryFolder folder;
  (void)folder.write("make.py", R"(
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(1, 16)
        self.last = torch.nn.Linear(16, 1)
        self.drop = torch.nn.Dropout(0.1)
    def forward(self, x):
        return self.last(self.drop(torch.tanh(self.hidden(x))))
torch.manual_seed(0)
torch.jit.script(Net()).save('net.pt')
class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(1, 3)
    def forward(self, x):
        return self.one(x)
torch.jit.script(Wide()).save('wide.pt')
class Cut(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(1, 1)
    def forward(self, x):
        return self.one(x).detach()
torch.jit.script(Cut()).save('cut.pt')
class Nan(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(1, 1)
    def forward(self, x):
        return self.one(x) * float('nan')
torch.jit.script(Nan()).save('nan.pt')
torch.jit.script(Net().double()).save('net64.pt')
torch.jit.script(Net().half()).save('net16.pt')
)");
  const Outcome made = run_program(ADACVAR_PYTHON, {"make.py"}, folder.path());
  if (made.code != 0) GTEST_SKIP() << "no PyTorch for " << ADACVAR_PYTHON << ": " << made.err;
  std::string csv = "x,y\n";
  for (int i = 0; i < 200; ++i) {
    const double x = (i - 100) / 30.0;
    csv += std::to_string(x) + "," + std::to_string(std::sin(x)) + "\n";
  }
  (void)folder.write("data.csv", csv);
  (void)folder.write("check.py", R"(
import csv, sys, torch
name, model = sys.argv[1:]
net = torch.jit.load(model + '.pt')
assert not net.training
start = torch.jit.load(name)
assert net.hidden.weight.dtype == start.hidden.weight.dtype
assert not torch.equal(net.hidden.weight, start.hidden.weight), 'nothing was learned'
x = [[float(row['x'])] for row in csv.DictReader(open('data.csv'))]
p = torch.tensor([float(row['prediction']) for row in csv.DictReader(open('p.csv'))])
with torch.no_grad():
    y = net(torch.tensor(x, dtype=net.hidden.weight.dtype)).squeeze(1)
# Targets were standardised: predictions are a line in the scores.
a = torch.stack([y, torch.ones_like(y)], 1)
fit = torch.linalg.lstsq(a.double(), p.double().unsqueeze(1)).solution
assert (a.double() @ fit - p.double().unsqueeze(1)).abs().max() < 1e-5
)");
  for (const std::string name : {"net", "net64"}) {
    const Outcome trained =
        adacvar("train data.csv --target y --raw-features --epochs 40 --network " + name +
                    ".pt --model " + name + ".json",
                folder);
    ASSERT_EQ(trained.code, 0) << trained.err;
    const Outcome predicted = adacvar("predict " + name + ".json data.csv -o p.csv", folder);
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    const Outcome checked =
        run_program(ADACVAR_PYTHON, {"check.py", name + ".pt", name + ".json"}, folder.path());
    EXPECT_EQ(checked.code, 0) << checked.err;
  }
  const Outcome wide = adacvar("train data.csv --target y --network wide.pt", folder);
  EXPECT_EQ(wide.code, 2);
  for (const auto& [name, words] :
       {std::pair{"cut.pt", "trainable parameter"},
        std::pair{"nan.pt", "a score that is not finite"},
        std::pair{"net16.pt", "the network fails on a batch of 2 x 1"}}) {
    const Outcome refused =
        adacvar(std::string("train data.csv --target y --network ") + name, folder);
    EXPECT_EQ(refused.code, 2) << refused.err;
    expect_words(refused.err, words);
  }
  expect_words(wide.err, "2 x 3 Float ... batch of 2 rows ... 2 x 1");
}

}  // namespace
}  // namespace adacvar
