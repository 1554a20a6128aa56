#pragma once

#include "run/stack.hpp"

#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>

#include <nlohmann/json_fwd.hpp>

namespace adacvar {

class JsonView;

/// Features and outputs of the models in a stack.
struct StackShape {
  std::size_t native = 0;    ///< features as trees take them
  std::size_t expanded = 0;  ///< features of linear models and networks
  std::size_t outputs = 1;
};

/// Returns a linear model, trees or networks as JSON, whole.
[[nodiscard]] nlohmann::json scorer_to_json(const Scorer& model, LossKind loss);
/// Throws: DataError for a damaged model or one of another shape; OptionError for networks without
/// `networks`.
[[nodiscard]] std::shared_ptr<const Scorer> scorer_from_json(const JsonView& from,
                                                             const StackShape& shape,
                                                             const NetworkMaker* networks);

/// The stack itself, with its models and its correction.
[[nodiscard]] nlohmann::json stack_to_json(const StackModel& stack, LossKind loss);
[[nodiscard]] std::shared_ptr<const StackModel> stack_from_json(const JsonView& from,
                                                                const Preprocessor& native,
                                                                const Loss& loss,
                                                                const NetworkMaker* networks);
/// Whether a model of a stack's JSON is a network.
[[nodiscard]] bool has_network(const nlohmann::json& stack);

/// The parameters of a linear model, as in model files.
[[nodiscard]] nlohmann::json linear_to_json(const LinearModel& model);
/// Throws: DataError unless it has these features and outputs and is finite.
[[nodiscard]] LinearModel linear_from_json(const JsonView& from, std::size_t features,
                                           std::size_t outputs);

}  // namespace adacvar
