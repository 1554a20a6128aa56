#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace adacvar {

/// Random-access iterator over a container whose operator[] returns values.
template <class Container, class Value>
class PlaceIterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Value;

  PlaceIterator() = default;
  PlaceIterator(const Container& container, std::size_t place)
      : container_(&container), place_(static_cast<difference_type>(place)) {}

  Value operator*() const { return (*this)[0]; }
  Value operator[](difference_type n) const {
    return (*container_)[static_cast<std::size_t>(place_ + n)];
  }
  PlaceIterator& operator+=(difference_type n) {
    place_ += n;
    return *this;
  }
  PlaceIterator& operator-=(difference_type n) { return *this += -n; }
  PlaceIterator& operator++() { return *this += 1; }
  PlaceIterator& operator--() { return *this += -1; }
  PlaceIterator operator++(int) {
    PlaceIterator before = *this;
    ++*this;
    return before;
  }
  PlaceIterator operator--(int) {
    PlaceIterator before = *this;
    --*this;
    return before;
  }
  friend PlaceIterator operator+(PlaceIterator i, difference_type n) { return i += n; }
  friend PlaceIterator operator+(difference_type n, PlaceIterator i) { return i += n; }
  friend PlaceIterator operator-(PlaceIterator i, difference_type n) { return i -= n; }
  friend difference_type operator-(const PlaceIterator& a, const PlaceIterator& b) {
    return a.place_ - b.place_;
  }
  friend bool operator==(const PlaceIterator& a, const PlaceIterator& b) {
    return a.place_ == b.place_;
  }
  friend auto operator<=>(const PlaceIterator& a, const PlaceIterator& b) {
    return a.place_ <=> b.place_;
  }

 private:
  const Container* container_ = nullptr;
  difference_type place_ = 0;
};

/// The numbers of a column, NaN where missing, stored exactly in the fewest bytes that fit all of
/// them: whole multiples of 1, 0.1, ..., 1e-9 in 1, 2 or 4 bytes, else floats, else doubles. A
/// table of short numbers takes no more memory than its text.
class CompactNumbers {
 public:
  using value_type = double;
  using const_iterator = PlaceIterator<CompactNumbers, double>;
  using iterator = const_iterator;

  CompactNumbers() = default;
  CompactNumbers(std::initializer_list<double> numbers) {
    append(std::span(numbers.begin(), numbers.size()));
  }
  /// Keeps the numbers as doubles.
  // NOLINTNEXTLINE(google-explicit-constructor)
  CompactNumbers(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] double operator[](std::size_t place) const noexcept {
    switch (numbers_.index()) {
      case 0:
        return multiple((*std::get_if<0>(&numbers_))[place]);
      case 1:
        return multiple((*std::get_if<1>(&numbers_))[place]);
      case 2:
        return multiple((*std::get_if<2>(&numbers_))[place]);
      case 3:
        return static_cast<double>((*std::get_if<3>(&numbers_))[place]);
      default:
        return (*std::get_if<4>(&numbers_))[place];
    }
  }
  [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
  [[nodiscard]] const_iterator end() const { return {*this, size()}; }
  [[nodiscard]] std::size_t bytes_each() const noexcept;

  /// Reserves memory for so many numbers, at any width.
  void reserve(std::size_t count);
  /// Cost: O(numbers), and O(size()) when they need a wider representation.
  void append(std::span<const double> numbers);

  void push_back(double number) { append(std::span(&number, 1)); }

  friend bool operator==(const CompactNumbers& a, const CompactNumbers& b);  // NaN differs from NaN

 private:
  // A whole number over a power of ten, both exact, is the double that the decimal text reads as.
  template <class Whole>
  [[nodiscard]] double multiple(Whole whole) const noexcept {
    if (whole == std::numeric_limits<Whole>::min()) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return static_cast<double>(whole) / power_;
  }
  void widen(double next);
  template <class Stored>
  bool convert_to(int decimals, double next);

  std::variant<std::vector<std::int8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
               std::vector<float>, std::vector<double>>
      numbers_;
  int decimals_ = 0;  // stored integers are multiples of 10^-decimals_
  double power_ = 1;  // 10^decimals_
  std::size_t reserved_ = 0;
};

/// Names of levels, in the order they were added. A name takes its bytes and four more.
class CompactNames {
 public:
  using value_type = std::string;
  using const_iterator = PlaceIterator<CompactNames, std::string_view>;
  using iterator = const_iterator;

  CompactNames() = default;
  CompactNames(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) push_back(name);
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t place) const;  ///< until the next is added
  [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
  [[nodiscard]] const_iterator end() const { return {*this, size()}; }
  void push_back(std::string_view name);

  friend bool operator==(const CompactNames&, const CompactNames&) = default;
  friend bool operator==(const CompactNames& names, const std::vector<std::string>& others);

 private:
  // Names per page. Pages keep the text from being copied as a whole when it grows.
  static constexpr std::size_t kNamesPerPage = 4096;

  std::vector<std::string> pages_;
  std::vector<std::uint32_t> ends_;  // end of each name on its page
};

}  // namespace adacvar
