#pragma once

#include "solver/problem.hpp"
#include "solver/scaled_factor.hpp"

#include <adacvar/base/index.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace adacvar {

/// A way for a dual point to move: its product weight * slope for a row changes by -mobility * t,
/// t being the row's score; with several classes, that for class `plus` against class `minus`, t
/// being the difference of their scores.
struct Edge {
  Index row;
  std::uint32_t plus = 0;
  std::uint32_t minus = 0;   // with one output the same as plus
  std::size_t position = 0;  // of the row among those of its law
  double mobility = 0;
};

/// When columns that nearly depend on others are separated: where the least eigenvalue of M, its
/// diagonal being 1, is not more than `well`; those of which a share of at most `least` is left, in
/// squares.
struct Care {
  double well = 1e-10;
  double least = 1e-5;
};

/// What moves can make of rho = sum product (x) (x, 1): M = sum of mobility a a' over the edges,
/// a'theta being an edge's t. A step z along all edges changes rho by -M z, at a cost that grows
/// with sqrt(z'Mz); so sqrt(rho'M^-1 rho) tells how much it takes to make rho vanish, whatever the
/// units of the features are.
///
/// Only what is exactly so can be left out of that. Where columns depend on others over the edges
/// exactly, so does rho, and those before them speak for them. Where they nearly do, M is known too
/// little, so what is left of such a column when the others are taken away, in its own units, takes
/// its place.
class Mobility {
 public:
  /// `edges`: all with a product other than 0, and those of mobility. `bound`: the parameters whose
  /// rho must vanish.
  Mobility(const Problem& problem, std::vector<Edge> edges, std::vector<Eigen::Index> bound,
           Care care = {});

  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }

  /// The z that makes `rho` vanish, but for rounding; 0 for parameters that need not balance.
  [[nodiscard]] Eigen::VectorXd step(const Eigen::VectorXd& rho) const;

  /// About sqrt(rho'M^-1 rho), for comparisons.
  [[nodiscard]] double norm(const Eigen::VectorXd& rho) const;

  /// A limit of sqrt(rho'M^-1 rho) for all rho whose entries are within `errors` of those given.
  /// Nothing where rounding does not allow a proof.
  [[nodiscard]] std::optional<double> most(const Eigen::VectorXd& rho,
                                           const Eigen::VectorXd& errors) const;

  /// Whether rho of the parameter vanishes at the end of a step, not only that of columns which it
  /// is a combination of.
  [[nodiscard]] bool balances(Eigen::Index parameter) const;

  /// A combination of columns that takes the place of one of them.
  struct Remainder {
    Eigen::Index column;
    Eigen::VectorXd factors;     // of all columns
    std::vector<double> values;  // by edge; 0 for those that do not move
  };
  [[nodiscard]] const std::vector<Remainder>& remainders() const { return remainders_; }

  /// sqrt(M_ii).
  [[nodiscard]] double reach(Eigen::Index parameter) const {
    return std::sqrt(gram_(parameter, parameter));
  }

 private:
  struct Measured {
    Eigen::VectorXd products;  // with the basis
    double square = 0;
    double error = 0;  // its own square
  };

  bool separate(const std::vector<Eigen::Index>& bound, double least);
  [[nodiscard]] Measured measure(Remainder& combination) const;
  bool add_remainder(Eigen::Index column);
  void prove(double least);
  [[nodiscard]] double gram_error() const;
  [[nodiscard]] Eigen::MatrixXd basis() const;
  [[nodiscard]] Eigen::VectorXd in_basis(const Eigen::VectorXd& rho) const;

  const Problem& problem_;
  std::vector<Edge> edges_;
  Eigen::MatrixXd gram_;               // of all parameters
  std::vector<Eigen::Index> kept_;     // columns of the basis that are as they were,
  std::vector<Remainder> remainders_;  // and those after them
  Eigen::MatrixXd matrix_;             // M in the basis
  double remainder_error_ = 0;         // of its entries, beside their diagonal
  double least_ = 0;  // eigenvalue of the matrix, its diagonal being 1; 0: not proved
  ScaledFactor factor_;
};

}  // namespace adacvar
