#include <adacvar/base/error.hpp>

#include "base/state_stream.hpp"

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <istream>
#include <limits>
#include <new>
#include <numeric>
#include <span>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

// The largest single request for memory since it was last set to 0.
std::size_t largest_request = 0;

}  // namespace

// Not inlined: GCC would take the pair apart and warn that new is answered by free.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  largest_request = std::max(largest_request, bytes);
  if (void* memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}

namespace adacvar {
namespace {

constexpr std::string_view kKind = "TESTKIND";
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kHeaderBytes = 20;

enum class Colour : std::uint8_t { red, green, blue };

std::string block_of(const std::function<void(StateWriter&)>& fill, std::string_view kind = kKind,
                     std::uint32_t version = kVersion) {
  StateWriter writer(kind, version);
  fill(writer);
  std::ostringstream out;
  writer.write_to(out);
  return out.str();
}

template <class T>
std::string block_of_array(const std::vector<T>& values) {
  return block_of([&](StateWriter& writer) { writer.put_array(std::span<const T>(values)); });
}

void read_nothing(StateReader& /*reader*/) {}

/// Returns the message that reading `bytes` as (kind, version) and then calling `read` throws.
std::string refusal_of(const std::string& bytes,
                       const std::function<void(StateReader&)>& read = read_nothing,
                       std::string_view kind = kKind, std::uint32_t version = kVersion) {
  std::istringstream in(bytes);
  try {
    StateReader reader(in, kind, version);
    read(reader);
    return "nothing thrown";
  } catch (const DataError& error) {
    return error.what();
  }
}

template <class T>
void expect_round_trip(const std::vector<T>& values) {
  std::istringstream in(block_of_array(values));
  StateReader reader(in, kKind, kVersion);
  ASSERT_EQ(reader.remaining(), values.size() * sizeof(T));
  for (const T value : values) EXPECT_EQ(reader.get<T>(), value);
  EXPECT_NO_THROW(reader.finish());
}

template <class T>
std::vector<T> ends_of() {
  using Limits = std::numeric_limits<T>;
  return {Limits::lowest(),
          Limits::max(),
          Limits::min(),
          T{0},
          T{1},
          static_cast<T>(Limits::max() / 3)};
}

TEST(StateStream, every_type_of_number_comes_back) {
  expect_round_trip(ends_of<char>());
  expect_round_trip(ends_of<std::int8_t>());
  expect_round_trip(ends_of<std::uint8_t>());
  expect_round_trip(ends_of<std::int16_t>());
  expect_round_trip(ends_of<std::uint16_t>());
  expect_round_trip(ends_of<std::int32_t>());
  expect_round_trip(ends_of<std::uint32_t>());
  expect_round_trip(ends_of<std::int64_t>());
  expect_round_trip(ends_of<std::uint64_t>());
  expect_round_trip(ends_of<float>());
  expect_round_trip(ends_of<double>());
  expect_round_trip(std::vector<Colour>{Colour::red, Colour::blue, Colour::green});
  std::istringstream in(block_of([](StateWriter& writer) {
    writer.put(true);
    writer.put(false);
  }));
  StateReader reader(in, kKind, kVersion);
  EXPECT_TRUE(reader.get<bool>());
  EXPECT_FALSE(reader.get<bool>());
  reader.finish();
}

TEST(StateStream, doubles_keep_every_bit) {
  const std::vector<std::uint64_t> bits{
      0x8000000000000000,  // -0
      0x0000000000000001,  // smallest subnormal
      0x7ff0000000000000,  // inf
      0xfff0000000000000,  // -inf
      0x7ff8000000000abc,  // NaN with a payload
      0x3fb999999999999a,  // 0.1
  };
  std::vector<double> values(bits.size());
  std::ranges::transform(bits, values.begin(), std::bit_cast<double, std::uint64_t>);
  std::istringstream in(block_of_array(values));
  StateReader reader(in, kKind, kVersion);
  std::vector<double> back(values.size());
  reader.get_array(std::span<double>(back));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i]), bits[i]);
  }
}

TEST(StateStream, mixed_numbers_come_back_in_order) {
  const std::vector<float> floats{1.5F, -2.25F, 1e30F};
  std::istringstream in(block_of([&](StateWriter& writer) {
    writer.put(std::uint8_t{7});
    writer.put_array(std::span<const float>(floats));
    writer.put_array(std::span<const double>());
    writer.put(Colour::blue);
    writer.put(std::int64_t{-5});
  }));
  StateReader reader(in, kKind, kVersion);
  EXPECT_EQ(reader.remaining(), 1U + 12U + 1U + 8U);
  EXPECT_EQ(reader.get<std::uint8_t>(), 7);
  std::vector<float> back(3);
  reader.get_array(std::span<float>(back));
  EXPECT_EQ(back, floats);
  reader.get_array(std::span<double>());
  EXPECT_EQ(reader.get<Colour>(), Colour::blue);
  EXPECT_EQ(reader.remaining(), 8U);
  EXPECT_EQ(reader.get<std::int64_t>(), -5);
  EXPECT_NO_THROW(reader.finish());
}

// Files written today must be read for ever: little-endian, CRC-32 as zlib and gzip have it.
TEST(StateStream, layout_never_changes) {
  using std::string_literals::operator""s;
  const std::string bytes = block_of(
      [](StateWriter& writer) {
        writer.put(std::uint16_t{0x1234});
        writer.put(std::int32_t{-2});
        writer.put(std::uint8_t{7});
        writer.put(1.5);
      },
      "DEMO", 3);
  EXPECT_EQ(bytes,
            "DEMO\0\0\0\0"s
            "\x03\0\0\0"s
            "\x0f\0\0\0\0\0\0\0"s
            "\x34\x12"s
            "\xfe\xff\xff\xff"s
            "\x07"s
            "\0\0\0\0\0\0\xf8\x3f"s
            "\xd2\x2c\xb2\x1c"s);
}

TEST(StateStream, checksum_of_an_empty_block_is_that_of_its_header) {
  using std::string_literals::operator""s;
  const std::string bytes = block_of([](StateWriter&) {}, "EMPTY", 1);
  EXPECT_EQ(bytes,
            "EMPTY\0\0\0"s
            "\x01\0\0\0"s
            "\0\0\0\0\0\0\0\0"s
            "\x78\xea\x32\x48"s);
  EXPECT_EQ(refusal_of(
                bytes, [](StateReader& reader) { reader.finish(); }, "EMPTY", 1),
            "nothing thrown");
}

TEST(StateStream, block_longer_than_one_reading_step_comes_back) {
  // The reader takes 1 MiB at first and doubles; these lengths are around the steps.
  for (const std::size_t bytes :
       {(1U << 20U) - 1, 1U << 20U, (1U << 20U) + 1, (1U << 21U) + 1, 5'000'001U}) {
    std::vector<std::uint8_t> values(bytes);
    std::iota(values.begin(), values.end(), std::uint8_t{0});
    const std::string block = block_of_array(values);
    std::istringstream in(block);
    StateReader reader(in, kKind, kVersion);
    std::vector<std::uint8_t> back(bytes);
    reader.get_array(std::span<std::uint8_t>(back));
    EXPECT_NO_THROW(reader.finish());
    EXPECT_EQ(back, values);
    EXPECT_PRED2(support::has_words, refusal_of(block.substr(0, block.size() - 5)),
                 "TESTKIND ... ends before ... " + std::to_string(bytes) + " bytes");
  }
}

TEST(StateStream, reader_stops_at_the_end_of_its_block) {
  std::istringstream in(block_of_array(std::vector<int>{1}) + block_of_array(std::vector<int>{2}) +
                        "rest");
  EXPECT_EQ(StateReader(in, kKind, kVersion).get<int>(), 1);
  EXPECT_EQ(StateReader(in, kKind, kVersion).get<int>(), 2);
  std::string rest;
  in >> rest;
  EXPECT_EQ(rest, "rest");
}

TEST(StateStream, truncated_block_is_refused_at_every_length_and_says_where) {
  const std::string whole = block_of_array(std::vector<std::uint32_t>{1, 2, 3});
  ASSERT_EQ(whole.size(), kHeaderBytes + 12 + 4);
  const std::string start = "TESTKIND ... ";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::string why = "checksum";
    if (length < kHeaderBytes + 12) why = "before ... 12 bytes";
    if (length < kHeaderBytes) {
      why = "after " + std::to_string(length) + " of 20";
    }
    EXPECT_PRED2(support::has_words, refusal_of(whole.substr(0, length)), start + why);
  }
}

TEST(StateStream, wrong_kind_and_version_are_named) {
  const std::string bytes = block_of_array(std::vector<int>{1});
  const auto as = [&](std::string_view kind, std::uint32_t version) {
    return refusal_of(bytes, read_nothing, kind, version);
  };
  EXPECT_PRED2(support::has_words, as("OTHER", 3), "usable OTHER state ... begin");
  EXPECT_PRED2(support::has_words, as("TESTKINE", 3), "usable TESTKINE state ... begin");
  // A shorter kind is not a beginning that any longer one would fit.
  EXPECT_PRED2(support::has_words, as("TEST", 3), "usable TEST state ... begin");
  EXPECT_PRED2(support::has_words, as("TESTKIND", 4), "TESTKIND ... version is 3 ... version 4");
  EXPECT_PRED2(support::has_words, as("TESTKIND", 2), "TESTKIND ... version is 3 ... version 2");
  EXPECT_EQ(as("TESTKIND", 3), "nothing thrown");
}

TEST(StateStream, a_flag_is_0_or_1) {
  const auto read = [](StateReader& reader) { (void)reader.get<bool>(); };
  for (const std::uint8_t byte : std::vector<std::uint8_t>{0, 1}) {
    EXPECT_EQ(refusal_of(block_of_array(std::vector{byte}), read), "nothing thrown");
  }
  for (const std::uint8_t byte : std::vector<std::uint8_t>{2, 77, 255}) {
    EXPECT_PRED2(support::has_words, refusal_of(block_of_array(std::vector{byte}), read),
                 "TESTKIND ... a flag is neither 0 nor 1");
  }
}

TEST(StateStream, any_one_altered_byte_is_refused) {
  const std::string whole = block_of_array(std::vector<std::uint32_t>{0, 0, 3});
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (unsigned change = 1; change < 256; ++change) {
      std::string altered = whole;
      altered[place] = static_cast<char>(static_cast<unsigned char>(whole[place]) ^ change);
      const std::string words = refusal_of(altered);
      ASSERT_PRED2(support::has_words, words, "usable TESTKIND state")
          << "byte " << place << " xor " << change;
      if (place >= kHeaderBytes) {
        ASSERT_PRED2(support::has_words, words, "TESTKIND ... checksum ... altered");
      }
    }
  }
}

TEST(StateStream, swapped_and_inserted_bytes_are_refused) {
  const std::string whole = block_of_array(std::vector<std::uint32_t>{1, 2, 3});
  const std::string altered = "TESTKIND ... checksum ... altered";
  std::string swapped = whole;
  std::swap(swapped[kHeaderBytes], swapped[kHeaderBytes + 4]);
  EXPECT_PRED2(support::has_words, refusal_of(swapped), altered);
  std::string longer = whole;
  longer.insert(kHeaderBytes, 1, '\0');
  EXPECT_PRED2(support::has_words, refusal_of(longer), altered);
}

TEST(StateStream, bytes_left_over_and_bytes_missing_are_named) {
  const std::string bytes = block_of_array(std::vector<std::uint32_t>{1, 2, 3});
  const std::string start = "TESTKIND ... ";
  EXPECT_PRED2(support::has_words, refusal_of(bytes, [](StateReader& reader) { reader.finish(); }),
               start + "12 bytes");
  EXPECT_PRED2(support::has_words,
               refusal_of(bytes,
                          [](StateReader& reader) {
                            std::ignore = reader.get<std::uint64_t>();
                            reader.finish();
                          }),
               start + "4 bytes");
  EXPECT_PRED2(support::has_words,
               refusal_of(bytes,
                          [](StateReader& reader) {
                            std::ignore = reader.get<std::uint64_t>();
                            std::ignore = reader.get<std::uint64_t>();
                          }),
               start + "8 bytes ... 4 left");
}

TEST(StateStream, refused_read_takes_nothing) {
  std::istringstream in(block_of_array(std::vector<std::uint32_t>{1, 2, 3}));
  StateReader reader(in, kKind, kVersion);
  std::vector<std::uint32_t> four(4, 9);
  EXPECT_THROW(reader.get_array(std::span<std::uint32_t>(four)), DataError);
  EXPECT_EQ(four, std::vector<std::uint32_t>(4, 9));
  EXPECT_EQ(reader.remaining(), 12U);
  EXPECT_EQ(reader.get<std::uint32_t>(), 1U);
}

TEST(StateStream, broken_requirement_is_named) {
  const std::string bytes = block_of_array(std::vector<int>{1});
  EXPECT_EQ(refusal_of(bytes, [](StateReader& reader) { reader.require(true, "never"); }),
            "nothing thrown");
  EXPECT_PRED2(support::has_words,
               refusal_of(bytes, [](StateReader& reader) { reader.require(false, "x is odd"); }),
               "TESTKIND ... x is odd");
}

TEST(StateStream, forged_length_takes_no_memory_beyond_the_bytes_sent) {
  const std::string whole = block_of_array(std::vector<std::uint32_t>{1, 2, 3});
  for (const std::uint64_t forged :
       {std::uint64_t{13}, std::uint64_t{1} << 20U, std::uint64_t{1} << 32U,
        std::uint64_t{1} << 62U, (std::uint64_t{1} << 63U) - 1, std::uint64_t{1} << 63U,
        ~std::uint64_t{0}}) {
    std::string bytes = whole;
    for (unsigned i = 0; i < 8; ++i) bytes[12 + i] = static_cast<char>(forged >> 8 * i);
    largest_request = 0;
    const std::string words = refusal_of(bytes);
    EXPECT_LE(largest_request, std::size_t{1} << 20U);
    // 13 bytes are there, counting the first of the checksum; then the checksum is short.
    const std::string why =
        forged == 13 ? "checksum" : "before ... " + std::to_string(forged) + " bytes";
    EXPECT_PRED2(support::has_words, words, "TESTKIND ... " + why);
  }
}

TEST(StateStream, memory_grows_in_proportion_to_the_bytes_sent) {
  std::string bytes = block_of_array(std::vector<std::uint8_t>(10'000'000));
  for (unsigned i = 0; i < 8; ++i) bytes[12 + i] = static_cast<char>(0xffU >> (i == 7 ? 1U : 0U));
  std::istringstream in(bytes);
  largest_request = 0;
  EXPECT_THROW(StateReader(in, kKind, kVersion), DataError);
  EXPECT_GE(largest_request, 10'000'000U);  // the counter sees the reader's memory
  EXPECT_LE(largest_request, 40'000'000U);
}

TEST(StateStream, stream_that_fails_is_an_error) {
  // Takes a few bytes, then none, as a full disk would.
  class FullDisk : public std::streambuf {
   public:
    explicit FullDisk(int room) : room_(room) {}

   protected:
    int_type overflow(int_type c) override { return room_-- > 0 ? c : traits_type::eof(); }

   private:
    int room_;
  };
  StateWriter writer(kKind, kVersion);
  writer.put(std::uint64_t{1});
  for (const int room : {0, 10, 20, 27, 28, 31}) {
    FullDisk disk(room);
    std::ostream out(&disk);
    try {
      writer.write_to(out);
      ADD_FAILURE() << "nothing thrown with room for " << room;
    } catch (const DataError& error) {
      EXPECT_PRED2(support::has_words, error.what(), "TESTKIND ... written");
    }
  }
  FullDisk disk(32);
  std::ostream out(&disk);
  EXPECT_NO_THROW(writer.write_to(out));

  std::istringstream failed(block_of_array(std::vector<int>{1}));
  failed.setstate(std::ios::failbit);
  EXPECT_THROW(StateReader(failed, kKind, kVersion), DataError);
}

}  // namespace
}  // namespace adacvar
