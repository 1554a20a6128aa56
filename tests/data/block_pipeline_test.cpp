#include "data/block_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace adacvar {
namespace {

constexpr std::size_t kLanes = 3;

struct Block {
  std::size_t number = 0;
  std::size_t square = 0;
};

/// Squares the numbers below `count` and notes what each function sees.
struct Squares {
  std::size_t count = 0;
  std::size_t last_wanted = ~std::size_t{0};  // `work` is false for this block
  std::size_t broken = ~std::size_t{0};       // `work` throws for this block
  std::size_t cut_so_far = 0;
  std::atomic<std::size_t> in_flight = 0;
  std::atomic<std::size_t> most_in_flight = 0;
  std::atomic<std::size_t> reports = 0;
  std::thread::id reporter = {};
  std::vector<std::vector<std::size_t>> taken = std::vector<std::vector<std::size_t>>(kLanes);
  std::vector<std::size_t> finished = {};

  bool cut(Block& block) {
    if (cut_so_far == count) return false;
    block.number = cut_so_far++;
    most_in_flight = std::max<std::size_t>(most_in_flight, ++in_flight);
    return true;
  }
  bool work(Block& block) const {
    if (block.number == broken) throw std::runtime_error("broken");
    block.square = block.number * block.number;
    if (block.number % 7 == 0) std::this_thread::yield();
    return block.number != last_wanted;
  }
  void take(const Block& block, std::size_t lane) { taken[lane].push_back(block.square); }
  void finish(const Block& block) {
    finished.push_back(block.number);
    --in_flight;
  }
  void report() {
    ++reports;
    reporter = std::this_thread::get_id();
  }
};

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

std::vector<std::size_t> squares_below(std::size_t count) {
  std::vector<std::size_t> squares = numbers_below(count);
  for (std::size_t& number : squares) number *= number;
  return squares;
}

TEST(BlockPipeline, every_lane_sees_all_blocks_in_order) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    for (const std::size_t most : {1U, 2U, 8U}) {
      Squares squares{.count = 400};
      BlockPipeline<Block, Squares>(squares, most, kLanes).run(threads);
      for (const auto& lane : squares.taken) EXPECT_EQ(lane, squares_below(400));
      EXPECT_EQ(squares.finished, numbers_below(400));
      EXPECT_LE(squares.most_in_flight, most);
    }
  }
}

TEST(BlockPipeline, an_empty_input_has_no_blocks) {
  Squares squares;
  BlockPipeline<Block, Squares>(squares, 4, kLanes).run(2);
  EXPECT_TRUE(squares.finished.empty());
}

TEST(BlockPipeline, reports_come_from_the_calling_thread) {
  Squares squares{.count = 100};
  BlockPipeline<Block, Squares>(squares, 1, kLanes).run(1);
  EXPECT_EQ(squares.reports, 100U);
  EXPECT_EQ(squares.reporter, std::this_thread::get_id());
}

// Those before it are still finished, in order; only blocks cut before it was known come after it.
TEST(BlockPipeline, ends_after_a_block_that_needs_none_after_it) {
  for (const std::size_t threads : {1U, 4U}) {
    Squares squares{.count = 400, .last_wanted = 100};
    BlockPipeline<Block, Squares>(squares, 8, kLanes).run(threads);
    EXPECT_GE(squares.finished.size(), 101U);
    EXPECT_LE(squares.finished.size(), 101U + 8U);
    EXPECT_EQ(squares.finished, numbers_below(squares.finished.size()));
  }
}

TEST(BlockPipeline, an_exception_ends_the_run_and_is_rethrown) {
  for (const std::size_t threads : {1U, 4U}) {
    Squares squares{.count = 400, .broken = 100};
    BlockPipeline<Block, Squares> pipeline(squares, 8, kLanes);
    EXPECT_THROW(pipeline.run(threads), std::runtime_error);
    EXPECT_LE(squares.finished.size(), 100U);
  }
}

}  // namespace
}  // namespace adacvar
