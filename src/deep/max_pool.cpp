#include "deep/max_pool.hpp"

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/torch.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace adacvar {

namespace {

// Four pixels at a time, by registers that every x86-64 and ARM64 has.
using Floats = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));
using Bytes = std::uint8_t __attribute__((vector_size(4)));

template <class Vector>
Vector load(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(vector));
  return vector;
}

template <class Vector>
void store(Vector vector, void* to) {
  std::memcpy(to, &vector, sizeof(vector));
}

// The first of equal values, and a value that is not a number, as torch chooses.
template <class Value>
auto is_chosen(Value other, Value before) {
  return (other > before) | (other != other);
}

/// The larger of each pair of neighbours in a line; `right`: -1 where it is the second, else 0.
struct Pairs {
  Floats value;
  Ints right;

  explicit Pairs(const float* line) {
    const auto first = load<Floats>(line);
    const auto second = load<Floats>(line + 4);
    const Floats left = __builtin_shuffle(first, second, Ints{0, 2, 4, 6});
    const Floats other = __builtin_shuffle(first, second, Ints{1, 3, 5, 7});
    right = is_chosen(other, left);
    value = right ? other : left;
  }
};

// `chosen`: 0 and 1 in the upper line, 2 and 3 in the lower one.
void pool_four(const float* upper, const float* lower, float* out, std::uint8_t* chosen) {
  const Pairs above(upper);
  const Pairs below(lower);
  const Ints is_below = is_chosen(below.value, above.value);
  store(is_below ? below.value : above.value, out);
  store(__builtin_convertvector(is_below ? 2 - below.right : -above.right, Bytes), chosen);
}

void pool_one(const float* upper, const float* lower, float* out, std::uint8_t* chosen) {
  const float four[] = {upper[0], upper[1], lower[0], lower[1]};
  std::uint8_t best = 0;
  for (std::uint8_t place = 1; place < 4; ++place) {
    if (is_chosen(four[place], four[best])) best = place;
  }
  *out = four[best];
  *chosen = best;
}

void spread_four(const float* gradient, const std::uint8_t* chosen, float* upper, float* lower) {
  const auto values = load<Floats>(gradient);
  const Ints places = __builtin_convertvector(load<Bytes>(chosen), Ints);
  const Floats zero{};
  const auto store_line = [&](int first, float* line) {
    const Floats left = places == first ? values : zero;
    const Floats right = places == first + 1 ? values : zero;
    store(__builtin_shuffle(left, right, Ints{0, 4, 1, 5}), line);
    store(__builtin_shuffle(left, right, Ints{2, 6, 3, 7}), line + 4);
  };
  store_line(0, upper);
  store_line(2, lower);
}

void spread_one(const float* gradient, const std::uint8_t* chosen, float* upper, float* lower) {
  upper[0] = upper[1] = lower[0] = lower[1] = 0.0F;
  (*chosen < 2 ? upper : lower)[*chosen % 2] = *gradient;
}

// Calls `four(i)` for the outputs i to i + 3 of a line, the last time overlapping with the time
// before; `one(i)` in a line too short for that.
template <class Four, class One>
void for_each_four(std::int64_t count, const Four& four, const One& one) {
  if (count < 4) {
    for (std::int64_t i = 0; i < count; ++i) one(i);
    return;
  }
  for (std::int64_t i = 0; i + 4 < count; i += 4) four(i);
  four(count - 4);
}

void pool_line(const float* upper, const float* lower, std::int64_t count, float* out,
               std::uint8_t* chosen) {
  for_each_four(
      count, [&](std::int64_t i) { pool_four(upper + 2 * i, lower + 2 * i, out + i, chosen + i); },
      [&](std::int64_t i) { pool_one(upper + 2 * i, lower + 2 * i, out + i, chosen + i); });
}

void spread_line(const float* gradient, const std::uint8_t* chosen, std::int64_t count,
                 float* upper, float* lower) {
  for_each_four(
      count,
      [&](std::int64_t i) { spread_four(gradient + i, chosen + i, upper + 2 * i, lower + 2 * i); },
      [&](std::int64_t i) { spread_one(gradient + i, chosen + i, upper + 2 * i, lower + 2 * i); });
}

/// Sizes of maps before and after.
struct Shape {
  std::int64_t maps, height, width;

  explicit Shape(at::IntArrayRef sizes)
      : maps(sizes[0] * sizes[1]), height(sizes[2]), width(sizes[3]) {}
  [[nodiscard]] std::int64_t area() const { return height * width; }
};

// Calls `call(line before, line after)` for every line of the smaller maps.
template <class Call>
void for_each_line(const Shape& before, const Shape& after, const Call& call) {
  const std::int64_t grain = 1 + at::internal::GRAIN_SIZE / (1 + before.area());
  at::parallel_for(0, before.maps, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t map = begin; map < end; ++map) {
      for (std::int64_t y = 0; y < after.height; ++y) {
        call(map * before.area() + 2 * y * before.width, map * after.area() + y * after.width);
      }
    }
  });
}

class MaxPool : public torch::autograd::Function<MaxPool> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& maps) {
    const torch::Tensor input = maps.contiguous();
    const std::vector<std::int64_t> sizes = {input.size(0), input.size(1), input.size(2) / 2,
                                             input.size(3) / 2};
    torch::Tensor output = torch::empty(sizes, input.options());
    torch::Tensor chosen = torch::empty(sizes, torch::kUInt8);
    const Shape before(input.sizes());
    const Shape after(output.sizes());
    const float* const from = input.data_ptr<float>();
    float* const to = output.data_ptr<float>();
    std::uint8_t* const places = chosen.data_ptr<std::uint8_t>();
    for_each_line(before, after, [&](std::int64_t source, std::int64_t line) {
      pool_line(from + source, from + source + before.width, after.width, to + line, places + line);
    });
    context->save_for_backward({chosen});
    context->saved_data["sizes"] = input.sizes();
    return output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::Tensor chosen = context->get_saved_variables()[0];
    const torch::Tensor gradient = gradients[0].contiguous();
    const std::vector<std::int64_t> sizes = context->saved_data["sizes"].toIntVector();
    const Shape before(sizes);
    const Shape after(gradient.sizes());
    // A last odd line or column is in no square.
    const bool is_covered = before.height % 2 == 0 && before.width % 2 == 0;
    torch::Tensor result = is_covered ? torch::empty(sizes, gradient.options())
                                      : torch::zeros(sizes, gradient.options());
    const float* const from = gradient.data_ptr<float>();
    const std::uint8_t* const places = chosen.data_ptr<std::uint8_t>();
    float* const to = result.data_ptr<float>();
    for_each_line(before, after, [&](std::int64_t source, std::int64_t line) {
      spread_line(from + line, places + line, after.width, to + source, to + source + before.width);
    });
    return {result};
  }
};

}  // namespace

torch::Tensor max_pool_by_two(const torch::Tensor& maps) {
  const bool is_plain = maps.device().is_cpu() && maps.scalar_type() == torch::kFloat32 &&
                        maps.dim() == 4 && maps.size(2) >= 2 && maps.size(3) >= 2;
  return is_plain ? MaxPool::apply(maps) : torch::max_pool2d(maps, 2);
}

}  // namespace adacvar
