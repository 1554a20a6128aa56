#pragma once

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/run/coefficients.hpp>
#include <adacvar/run/importance.hpp>
#include <adacvar/solver/certificate.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

struct TrainedModel;

/// Losses and risk of a model on rows with known targets, in the user's units.
struct Score {
  TailRisk risk;                        ///< at the model's alpha
  std::vector<double> losses;           ///< one per row
  std::vector<double> predictions;      ///< regression: values; classes: positions in `classes`
  std::optional<double> accuracy = {};  ///< classes only
};

/// A trained model with its preprocessing, target scale, loss and parameters. Immutable; copies are
/// cheap and share the data.
///
/// Matrices must have the columns of training, in the same order; categories are declared
/// (MatrixView::with_categories). Trees and stacks take a NaN as a missing value.
class Model {
 public:
  Model(TrainedModel parts);  // NOLINT(google-explicit-constructor)

  /// Returns predicted targets; for classes whose names are numbers, the number of the most
  /// probable class. Throws: DataError for a wrong number of columns, a NaN or infinity (with row
  /// and column); OptionError if class names are not numbers: use predict_classes.
  [[nodiscard]] std::vector<double> predict(const MatrixView& features) const;
  /// Returns the positions of the most probable classes in `classes`. Throws: like predict;
  /// OptionError for regression.
  [[nodiscard]] std::vector<std::size_t> predict_classes(const MatrixView& features) const;
  /// Returns rows * classes probabilities, row by row. Throws: like predict_classes; OptionError
  /// for the hinge loss, which has none.
  [[nodiscard]] std::vector<double> predict_probabilities(const MatrixView& features) const;

  /// Returns the scores, row by row: the prediction of a regression, the log-odds (hinge: the
  /// margin) of the second of two classes, one score per class for more of them. Throws: like
  /// predict.
  [[nodiscard]] std::vector<double> scores(const MatrixView& features) const;

  /// Computes losses, predictions and risk in one pass. `targets` as in `fit`; empty `weights`
  /// means all 1; rows of weight 0 have losses but no part in the risk. Throws: like predict;
  /// DataError for an invalid target.
  [[nodiscard]] Score score(const MatrixView& features, std::span<const double> targets,
                            std::span<const double> weights = {}) const;

  /// Class names; empty for regression.
  [[nodiscard]] const std::vector<std::string>& classes() const noexcept;
  /// Mean, VaR and CVaR of the training losses. Throws: OptionError for a model file of an older
  /// version, which does not store them.
  [[nodiscard]] const TailRisk& training_risk() const;
  /// Bounds on the least training CVaR, if they were computed.
  [[nodiscard]] const std::optional<Certificate>& certificate() const noexcept;
  /// The linear model of standardised features; null for a network.
  [[nodiscard]] const LinearModel* linear() const noexcept;
  /// Returns the coefficients in the user's units. Throws: OptionError for a network, trees,
  /// images, and for a model file of an older version, which lacks the moments of the features.
  [[nodiscard]] Coefficients coefficients() const;
  /// Returns the columns of a model of trees by decreasing importance, ties as in the data. Throws:
  /// OptionError for other models.
  [[nodiscard]] std::vector<ColumnImportance> importance() const;

  /// Writes a model file (docs/file_formats.md) atomically; the weights of a network go to a
  /// TorchScript archive beside it, with `.pt` appended to its name.
  /// Throws: OptionError if it cannot be written; DataError if a name is not UTF-8.
  void save(const std::filesystem::path& path) const;
  /// Reads a model file; a network needs `networks`.
  /// Throws: DataError, naming the file, if it is damaged; OptionError for a network without
  /// `networks`.
  [[nodiscard]] static Model load(const std::filesystem::path& path,
                                  const NetworkMaker* networks = nullptr);

  /// Returns the content of the model file, for programs that keep models in files of their own;
  /// `from_text` reads it. Throws: OptionError for a network.
  [[nodiscard]] std::string to_text() const;
  /// `source` names the text in messages. Throws: DataError if it is damaged.
  [[nodiscard]] static Model from_text(std::string_view text, const std::string& source = "model");

  /// Why training ended.
  [[nodiscard]] StopReason stop_reason() const noexcept;
  /// The options of its training, with the values that automatic ones had.
  [[nodiscard]] const TrainOptions& options() const noexcept;
  [[nodiscard]] const Loss& loss() const noexcept;
  /// Names of the columns of a matrix, in their order; c1, c2, ... for sparse rows.
  [[nodiscard]] std::vector<std::string> columns() const;
  /// Names of those that have categories.
  [[nodiscard]] std::vector<std::string> categorical_columns() const;
  enum class Kind : std::uint8_t { linear, network, trees, stack };
  [[nodiscard]] Kind kind() const noexcept;

  /// For internal use.
  [[nodiscard]] const TrainedModel& parts() const noexcept { return *parts_; }

 private:
  std::shared_ptr<const TrainedModel> parts_;
};

}  // namespace adacvar
