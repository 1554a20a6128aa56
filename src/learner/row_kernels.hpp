#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <span>

/// The two passes over a batch's rows that take most of the training time. Rows are drawn at
/// random, so each is prefetched a few rows ahead; dense rows are processed four at a time. The
/// order of every sum depends on neither the grouping nor the processor.
namespace adacvar {

/// Computes scores[b * stride] = x_b'weights + intercept, with four partial sums: feature f in sum
/// f % 4, those after the last complete four in the first; sparse rows: one sum.
void score_rows(const Dataset& data, std::span<const Index> rows, const double* weights,
                double intercept, double* scores, std::size_t stride);

/// Adds the rows' offsets to their scores, if the data has offsets.
void add_offsets(const Dataset& data, std::span<const Index> rows, std::size_t outputs,
                 std::span<double> scores);

/// Adds sum over b of derivatives[b * stride] * (x_b, 1) to `gradient`, example by example. Also
/// prefetches the rows `next`, if they are dense and fit the cache: to the second cache, as those
/// of two batches do not fit the nearest.
void add_rows(const Dataset& data, std::span<const Index> rows, const double* derivatives,
              std::size_t stride, double* gradient, std::span<const Index> next = {});

}  // namespace adacvar
