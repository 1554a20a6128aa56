#include "solver/exact_rank.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace adacvar {

namespace {

constexpr std::array<std::uint64_t, 2> kPrimes{2147483629, 2147483587};

/// Numbers modulo a prime below 2^31.
template <std::uint64_t kPrime>
struct Residue {
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) { return a * b % kPrime; }
  static std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
    return a >= b ? a - b : a + kPrime - b;
  }

  static std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) result = product(result, base);
      base = product(base, base);
    }
    return result;
  }
  static std::uint64_t inverse(std::uint64_t a) { return power(a, kPrime - 2); }

  // A float is +-digits * 2^(exponent - 149).
  static std::uint64_t of(float x) {
    static const std::array<std::uint64_t, 256> kScales = [] {
      std::array<std::uint64_t, 256> scales{};
      scales[0] = inverse(power(2, 149));
      for (std::size_t e = 1; e < scales.size(); ++e) scales[e] = product(scales[e - 1], 2);
      return scales;
    }();
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t fraction = bits & 0x7FFFFFU;
    const std::uint32_t exponent = (bits >> 23U) & 0xFFU;
    const std::uint64_t digits = exponent > 0 ? fraction | 0x800000U : fraction;
    const std::uint64_t size = product(digits, kScales[exponent > 0 ? exponent - 1 : 0]);
    return bits >> 31U == 1 ? minus(0, size) : size;
  }
};

/// Row-echelon form that grows row by row. Once few columns are left over, what these are made of
/// is worked out, and rows that agree are done with sooner.
template <std::uint64_t kPrime>
class Echelon {
 public:
  explicit Echelon(std::size_t columns) : rows_(columns), row_(columns), left_over_(columns) {}

  void add(std::span<const float> entries) {
    std::ranges::transform(entries, row_.begin(), Residue<kPrime>::of);
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
  using Number = Residue<kPrime>;
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
        const std::uint64_t unit = Number::inverse(row_[c]);
        for (std::size_t d = c; d < row_.size(); ++d) row_[d] = Number::product(row_[d], unit);
        rows_[c] = row_;
        return true;
      }
      const std::uint64_t factor = row_[c];
      const std::vector<std::uint64_t>& own = rows_[c];
      for (std::size_t d = c; d < row_.size(); ++d) {
        row_[d] = Number::minus(row_[d], Number::product(factor, own[d]));
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
          left = Number::minus(left, Number::product(rows_[c][part.column], part.factor));
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
        sum += Number::product(row_[part.column], part.factor);  // below 2^31 each
      }
      return sum % kPrime == row_[relation.column];
    });
  }

  std::vector<std::vector<std::uint64_t>> rows_;  // by leading column, which is 1
  std::vector<std::uint64_t> row_;
  std::vector<Relation> relations_;
  std::size_t left_over_;
  std::size_t idle_ = 0;  // rows since the last that was new
};

}  // namespace

std::vector<bool> exactly_dependent(std::size_t rows, std::size_t columns, const RowSource& row) {
  Echelon<kPrimes[0]> first(columns);
  Echelon<kPrimes[1]> second(columns);
  std::vector<float> entries(columns);
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
