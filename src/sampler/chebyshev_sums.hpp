#pragma once

#include "base/vector.hpp"

#include <cstddef>

/// Sums over the items of cells, [c, c + 1) each, of functions that polynomials of degree 11
/// approximate on a cell: a cell keeps its sums of the Chebyshev polynomials T_0 .. T_11, the
/// "moments", from which follow weights of 12 nodes that stand for the items.
namespace adacvar {

inline constexpr std::size_t kChebyshevNodes = 12;  // per cell

/// A change of a cell's moments: factor * T_j(t).
struct MomentChange {
  double t;       ///< position in the cell, scaled to [-1, 1]
  double factor;  ///< plus or minus the item's weight
  std::size_t cell;
};

/// Position of a node, counted over all cells, from the lower end of the first cell.
[[nodiscard]] double node_position_from_first(std::size_t node);

/// Applies changes, and marks their cells.
void add_chebyshev(double* moments, const MomentChange* changes, std::size_t count,
                   char* cell_changed);

/// The nodes' weights of the cells marked, which are then no longer.
void transform_changed(const double* moments, std::size_t cells, char* changed, double* weights);

/// In lanes.
struct NodeSums {
  Vec4 value, first, second, third;
};

/// Weighted sums of sigma and its first three derivatives over the nodes; sigma = 1/(1 +
/// scale*decay). The first moment of a cell is the weight of its items: empty cells are skipped.
void sum_over_nodes(const double* weights, const double* decays, const double* moments,
                    std::size_t cells, double scale, NodeSums* result);

}  // namespace adacvar
