// Jobs of several processes under mpirun; job_program.cpp is what they run. Its times are shorter
// than those of adacvar-mpi, which notices a rank that is stopped after 6 s.

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::Outcome;
using support::TemporaryFolder;

Outcome run_job(std::size_t ranks, const std::string& what) {
  const TemporaryFolder folder;
  return support::run_program(ADACVAR_MPIRUN,
                              {"-q", "--allow-run-as-root", "--oversubscribe", "-n",
                               std::to_string(ranks), ADACVAR_JOB_PROGRAM, what},
                              folder.path());
}

class Job : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Job, testing::Values(1, 2, 4));

TEST_P(Job, every_function) {
  const Outcome job = run_job(GetParam(), "functions");
  EXPECT_EQ(job.code, 0) << job.err;
  EXPECT_EQ(job.out, "done\n");
}

struct Failure {
  std::string what;
  std::string words;
  int code;
};

class FailingJob : public testing::TestWithParam<Failure> {};

// 128 + 9: what mpirun returns for a process that is killed. A rank that ends without a word while
// the others wait is an error too, though its own code is 0.
INSTANTIATE_TEST_SUITE_P(Ends, FailingJob,
                         testing::Values(Failure{"throw", "job: rank 2 on ", 3},
                                         Failure{"throw-busy", ": a bad row", 3},
                                         Failure{"kill", "", 137}, Failure{"exit", "", 1},
                                         Failure{"stop", "job: rank 2 on ", 72},
                                         Failure{"stop-first", "job: rank 0 on ", 72}),
                         [](const auto& one) {
                           std::string name = one.param.what;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(FailingJob, ends_with_the_first_error) {
  const Outcome job = run_job(3, GetParam().what);
  // A killed rank may be noticed by another one before mpirun does.
  const bool is_kill = GetParam().what == "kill" && job.code == 72;
  EXPECT_TRUE(is_kill || job.code == GetParam().code) << job.code << job.err;
  EXPECT_NE(job.err.find(GetParam().words), std::string::npos) << job.err;
  EXPECT_EQ(job.out, "");
}

TEST(JobOfThree, a_rank_that_computes_is_not_lost) {
  const Outcome job = run_job(3, "compute");
  EXPECT_EQ(job.code, 0) << job.err;
  EXPECT_EQ(job.out, "done\n");
}

}  // namespace
}  // namespace adacvar
