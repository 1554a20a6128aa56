#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>

namespace adacvar {

/// Seeded generator of uniform bits: xoshiro256++ [BV21], its state filled by SplitMix64.
///
/// The standard library's distributions differ between platforms; the draws below use only integer
/// arithmetic and exact scaling, so a seed gives the same sequence everywhere.
/// `stream` selects one of 2^64 independent sequences of a seed. Use one stream per fixed block of
/// work, never per thread, so that the number of threads does not change the result.
///
/// Satisfies std::uniform_random_bit_generator. Cost: O(1), no memory access.
class Rng {
 public:
  using result_type = std::uint64_t;

  explicit Rng(std::uint64_t seed = 0, std::uint64_t stream = 0) noexcept;

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return ~result_type{0}; }

  /// 64 uniform bits.
  result_type operator()() noexcept {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform on the 2^53 multiples of 2^-53 in [0, 1).
  [[nodiscard]] double uniform() noexcept {
    return static_cast<double>((*this)() >> 11) * 0x1.0p-53;
  }

  /// Uniform on 0, ..., bound - 1, without bias [L19]. `bound` must not be 0.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    std::uint64_t product = ((*this)() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t biased = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < biased) product = ((*this)() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// Writes the generator's state; `load` resumes the same sequence.
  /// Throws: DataError if the stream cannot be written, is truncated or was altered.
  void save(std::ostream& out) const;
  [[nodiscard]] static Rng load(std::istream& in);

  friend bool operator==(const Rng&, const Rng&) = default;

 private:
  static constexpr std::uint64_t rotate(std::uint64_t bits, int by) noexcept {
    return (bits << by) | (bits >> (64 - by));
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace adacvar
