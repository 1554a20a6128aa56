#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <span>

/// The two passes over a batch's rows that training spends its time in. Rows are drawn at random,
/// so each is fetched some rows before it is used; dense ones are taken four at a time. Every sum
/// is added up in an order that depends on neither the grouping nor the processor.
namespace adacvar {

/// scores[b * stride] = x_b'weights + intercept. Four partial sums, feature f in sum f % 4 and
/// those after the last whole four in the first; sparse rows: one sum.
void score_rows(const Dataset& data, std::span<const Index> rows, const double* weights,
                double intercept, double* scores, std::size_t stride);

/// gradient += sum over b of derivatives[b * stride] * (x_b, 1), example after example. Meanwhile
/// fetches the rows `next`, which are wanted soon, if they are dense and no more than the cache
/// holds.
void add_rows(const Dataset& data, std::span<const Index> rows, const double* derivatives,
              std::size_t stride, double* gradient, std::span<const Index> next = {});

}  // namespace adacvar
