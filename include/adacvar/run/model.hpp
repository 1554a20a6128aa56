#pragma once

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/solver/certificate.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

struct TrainedModel;

/// Losses of a model on rows whose targets are known, and their risk; in the user's units.
struct Score {
  TailRisk risk;                        ///< at the model's alpha
  std::vector<double> losses;           ///< one per row
  std::vector<double> predictions;      ///< as `Model::predict`; classes: their numbers
  std::optional<double> accuracy = {};  ///< classes only
};

/// A trained model with everything that its use needs: preprocessing, the target's units, loss and
/// parameters. It does not change; copies are cheap and share them.
///
/// Matrices have the columns of training, in the same order. A model of a table with categories is
/// used through the program or a table; here it is refused with a DataError.
class Model {
 public:
  Model(TrainedModel parts);  // NOLINT(google-explicit-constructor): a model is its parts

  /// Regression: predicted targets. Classes whose names are numbers: the number of the most
  /// probable class. Throws: DataError for a matrix of other columns, a NaN or infinity (with its
  /// place); OptionError where classes have names that are not numbers: see predict_classes.
  [[nodiscard]] std::vector<double> predict(const MatrixView& features) const;
  /// Places of the most probable classes in `classes`. Throws: as predict; OptionError for
  /// regression.
  [[nodiscard]] std::vector<std::size_t> predict_classes(const MatrixView& features) const;
  /// rows * classes probabilities, row by row. Throws: as predict_classes; OptionError for the
  /// hinge loss, which has none.
  [[nodiscard]] std::vector<double> predict_probabilities(const MatrixView& features) const;

  /// Losses, predictions and risk in one pass. `targets` as given to `fit`; `weights` may be empty:
  /// every row counts 1; rows of
  /// weight 0 are left out. Throws: as predict, and DataError for a target that does not fit.
  [[nodiscard]] Score score(const MatrixView& features, std::span<const double> targets,
                            std::span<const double> weights = {}) const;

  /// Names of the classes; none for regression.
  [[nodiscard]] const std::vector<std::string>& classes() const noexcept;
  /// Mean, VaR and CVaR of the training rows. Throws: OptionError for a model of an old file, which
  /// did not keep them.
  [[nodiscard]] const TailRisk& training_risk() const;
  /// Bounds of the least training CVaR, where they were computed.
  [[nodiscard]] const std::optional<Certificate>& certificate() const noexcept;
  /// Its linear model of standardised features; null for a network.
  [[nodiscard]] const LinearModel* linear() const noexcept;

  /// Writes a model file (docs/file_formats.md), as a whole or not at all; the weights of a network
  /// go to a TorchScript archive beside it, of the same name and `.pt`.
  /// Throws: OptionError when it cannot be written; DataError when a name is not UTF-8.
  void save(const std::filesystem::path& path) const;
  /// Reads a model file; `networks` loads those of networks.
  /// Throws: DataError, naming the file, for what is wrong with it; OptionError for a network
  /// without `networks`.
  [[nodiscard]] static Model load(const std::filesystem::path& path,
                                  const NetworkMaker* networks = nullptr);

  /// For the library itself.
  [[nodiscard]] const TrainedModel& parts() const noexcept { return *parts_; }

 private:
  std::shared_ptr<const TrainedModel> parts_;
};

}  // namespace adacvar
