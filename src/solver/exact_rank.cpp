#include "solver/exact_rank.hpp"

#include <adacvar/base/rng.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace adacvar {

namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return result;
}

/// Arithmetic modulo a prime below 2^31.
class Field {
 public:
  explicit Field(std::uint64_t prime)
      : prime_(prime), reciprocal_(std::numeric_limits<std::uint64_t>::max() / prime) {
    scales_[0] = inverse(power(2, 149, prime_));
    for (std::size_t e = 1; e < scales_.size(); ++e) scales_[e] = product(scales_[e - 1], 2);
  }

  // By a product with the reciprocal in place of a division [B86]: the quotient is short by 1 at
  // most.
  [[nodiscard]] std::uint64_t rest(std::uint64_t a) const {
    const auto quotient = static_cast<std::uint64_t>(Wide{a} * reciprocal_ >> 64U);
    const std::uint64_t rest = a - quotient * prime_;
    return rest >= prime_ ? rest - prime_ : rest;
  }
  [[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b) const {
    return rest(a * b);
  }
  [[nodiscard]] std::uint64_t minus(std::uint64_t a, std::uint64_t b) const {
    return a >= b ? a - b : a + prime_ - b;
  }
  [[nodiscard]] std::uint64_t inverse(std::uint64_t a) const {
    return power(a, prime_ - 2, prime_);
  }

  // A float is +-digits * 2^(exponent - 149).
  [[nodiscard]] std::uint64_t of(float x) const {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t fraction = bits & 0x7FFFFFU;
    const std::uint32_t exponent = (bits >> 23U) & 0xFFU;
    const std::uint64_t digits = exponent > 0 ? fraction | 0x800000U : fraction;
    const std::uint64_t size = product(digits, scales_[exponent > 0 ? exponent - 1 : 0]);
    return bits >> 31U == 1 ? minus(0, size) : size;
  }

 private:
  std::uint64_t prime_;
  std::uint64_t reciprocal_;
  std::array<std::uint64_t, 256> scales_{};
};

// Rabin's test; for odd numbers below 2^31 these bases leave no doubt [J93].
bool is_prime(std::uint64_t n) {
  const auto twos = static_cast<unsigned>(std::countr_zero(n - 1));
  return std::ranges::all_of(std::array{2U, 3U, 5U, 7U}, [&](std::uint64_t base) {
    std::uint64_t x = power(base, (n - 1) >> twos, n);
    if (x == 1) return true;
    for (unsigned k = 0; k < twos; ++k, x = x * x % n) {
      if (x == n - 1) return true;
    }
    return false;
  });
}

std::uint64_t any_prime(Rng& rng) {
  for (;;) {
    const std::uint64_t n = (std::uint64_t{1} << 30U) + 2 * rng.below(1U << 29U) + 1;
    if (is_prime(n)) return n;
  }
}

// Of all bits of the matrix, so that the primes are none that it was made for.
std::uint64_t fingerprint(std::size_t rows, std::span<float> entries, const RowSource& row) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    row(i, entries);
    for (const float x : entries) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32U;
    }
  }
  return hash;
}

/// Row-echelon form that grows row by row. Once few columns are left over, what these are made of
/// is worked out, and rows that agree are done with sooner.
class Echelon {
 public:
  Echelon(std::uint64_t prime, std::size_t columns)
      : field_(prime), rows_(columns), row_(columns), left_over_(columns) {}

  void add(std::span<const float> entries) {
    std::ranges::transform(entries, row_.begin(), [&](float x) { return field_.of(x); });
    if (!relations_.empty() && relations_hold()) return;
    relations_.clear();
    if (reduce()) {
      --left_over_;
      idle_ = 0;
    } else if (++idle_ >= std::max(kPatience, left_over_)) {
      find_relations();
    }
  }

  [[nodiscard]] bool is_leading(std::size_t column) const { return !rows_[column].empty(); }
  [[nodiscard]] bool is_complete() const { return left_over_ == 0; }

 private:
  static constexpr std::size_t kPatience = 4;

  /// A column is the sum of factor * other column.
  struct Part {
    std::size_t column;
    std::uint64_t factor;
  };
  struct Relation {
    std::size_t column;
    std::vector<Part> parts;
  };

  // Whether something is left, which then is a new row.
  bool reduce() {
    for (std::size_t c = 0; c < row_.size(); ++c) {
      if (row_[c] == 0) continue;
      if (rows_[c].empty()) {
        const std::uint64_t unit = field_.inverse(row_[c]);
        for (std::size_t d = c; d < row_.size(); ++d) row_[d] = field_.product(row_[d], unit);
        rows_[c] = row_;
        return true;
      }
      const std::uint64_t factor = row_[c];
      const std::vector<std::uint64_t>& own = rows_[c];
      for (std::size_t d = c; d < row_.size(); ++d) {
        row_[d] = field_.minus(row_[d], field_.product(factor, own[d]));
      }
    }
    return false;
  }

  // Back substitution.
  void find_relations() {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      if (is_leading(j)) continue;
      Relation found{j, {}};
      for (std::size_t c = j; c-- > 0;) {
        if (!is_leading(c)) continue;
        std::uint64_t left = rows_[c][j];
        for (const Part& part : found.parts) {
          left = field_.minus(left, field_.product(rows_[c][part.column], part.factor));
        }
        if (left != 0) found.parts.push_back({c, left});
      }
      relations_.push_back(std::move(found));
    }
  }

  [[nodiscard]] bool relations_hold() const {
    return std::ranges::all_of(relations_, [&](const Relation& relation) {
      std::uint64_t sum = 0;
      for (const Part& part : relation.parts) {
        sum += field_.product(row_[part.column], part.factor);  // below 2^31 each
      }
      return field_.rest(sum) == row_[relation.column];
    });
  }

  Field field_;
  std::vector<std::vector<std::uint64_t>> rows_;  // by leading column, which is 1
  std::vector<std::uint64_t> row_;
  std::vector<Relation> relations_;
  std::size_t left_over_;
  std::size_t idle_ = 0;  // rows since the last that was new
};

}  // namespace

std::vector<bool> exactly_dependent(std::size_t rows, std::size_t columns, const RowSource& row) {
  std::vector<float> entries(columns);
  Rng rng(fingerprint(rows, entries, row));
  Echelon first(any_prime(rng), columns);
  Echelon second(any_prime(rng), columns);
  for (std::size_t i = 0; i < rows && !(first.is_complete() && second.is_complete()); ++i) {
    row(i, entries);
    first.add(entries);
    second.add(entries);
  }
  std::vector<bool> result(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    result[c] = !first.is_leading(c) && !second.is_leading(c);
  }
  return result;
}

}  // namespace adacvar
