#include "trees/booster.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <xgboost/c_api.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

void check(int status) {
  if (status != 0) throw std::runtime_error(fmt::format("XGBoost: {}", XGBGetLastError()));
}

std::shared_ptr<void> owned_matrix(DMatrixHandle handle) {
  return {handle, [](void* matrix) { XGDMatrixFree(matrix); }};
}

// Arrays are passed by address, as NumPy's array interface.
template <class Number>
std::string array_text(const Number* data, std::size_t rows, std::size_t columns = 0) {
  const char kind = std::is_floating_point_v<Number> ? 'f' : 'u';
  const std::string shape =
      columns > 0 ? fmt::format("[{}, {}]", rows, columns) : fmt::format("[{}]", rows);
  return fmt::format(R"({{"data": [{}, true], "shape": {}, "typestr": "<{}{}", "version": 3}})",
                     reinterpret_cast<std::uintptr_t>(data), shape, kind, sizeof(Number));
}

std::shared_ptr<void> dense_matrix(const Dataset& data, const std::string& config) {
  DMatrixHandle handle = nullptr;
  check(XGDMatrixCreateFromDense(array_text(data.dense.data(), data.rows, data.features).c_str(),
                                 config.c_str(), &handle));
  return owned_matrix(handle);
}

std::shared_ptr<void> sparse_matrix(const Dataset& data, const std::string& config) {
  const std::vector<float> ones(data.value.empty() ? data.column.size() : 0, 1.0F);
  const std::vector<float>& values = data.value.empty() ? ones : data.value;
  DMatrixHandle handle = nullptr;
  check(XGDMatrixCreateFromCSR(array_text(data.start.data(), data.start.size()).c_str(),
                               array_text(data.column.data(), data.column.size()).c_str(),
                               array_text(values.data(), values.size()).c_str(), data.features,
                               config.c_str(), &handle));
  return owned_matrix(handle);
}

void set_types(DMatrixHandle handle, const std::vector<std::uint32_t>& levels) {
  std::vector<const char*> types;
  types.reserve(levels.size());
  for (const std::uint32_t count : levels) types.push_back(count > 0 ? "c" : "float");
  check(XGDMatrixSetStrFeatureInfo(handle, "feature_type", types.data(), types.size()));
}

}  // namespace

BoosterRows::BoosterRows(const Dataset& data, unsigned threads) : rows_(data.rows) {
  const std::string config = fmt::format(R"({{"missing": NaN, "nthread": {}}})", threads);
  handle_ = data.is_sparse() ? sparse_matrix(data, config) : dense_matrix(data, config);
  if (!data.levels.empty()) set_types(handle_.get(), data.levels);
}

Booster::Booster(const Setup& setup, const BoosterRows& training, const BoosterRows* valid)
    : training_(training), outputs_(setup.outputs) {
  std::vector<DMatrixHandle> cached{training.handle()};
  if (valid != nullptr) cached.push_back(valid->handle());
  BoosterHandle handle = nullptr;
  check(XGBoosterCreate(cached.data(), cached.size(), &handle));
  handle_ = {handle, [](void* booster) { XGBoosterFree(booster); }};
  const TreeOptions& options = setup.options;
  const auto set = [&](const char* name, const auto& value) {
    check(XGBoosterSetParam(handle, name, fmt::format("{}", value).c_str()));
  };
  set("tree_method", "hist");
  set("verbosity", 0);
  set("nthread", setup.threads);
  // Scores come from our own derivatives; the objective only fixes their number and start.
  set("objective", setup.outputs > 1 ? "multi:softprob" : "reg:squarederror");
  if (setup.outputs > 1) set("num_class", setup.outputs);
  set("base_score", setup.outputs > 1 ? 0.5 : 0.0);
  set("max_depth", options.depth);
  set("max_leaves", options.leaves);
  if (options.leaves > 0) set("grow_policy", "lossguide");
  set("eta", options.tree_rate);
  set("min_child_weight", options.min_leaf_weight);
  set("lambda", options.leaf_ridge);
  set("max_bin", options.bins);
}

void Booster::grow(std::span<float> gradients, std::span<float> hessians) {
  check(XGBoosterBoostOneIter(handle_.get(), training_.handle(), gradients.data(), hessians.data(),
                              gradients.size()));
}

std::span<const float> Booster::scores(const BoosterRows& rows) const {
  const bool is_training = &rows == &training_;
  const std::string config = fmt::format(
      R"({{"type": 1, "training": {}, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false}})",
      is_training);
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  check(XGBoosterPredictFromDMatrix(handle_.get(), rows.handle(), config.c_str(), &shape,
                                    &dimensions, &result));
  return {result, rows.rows() * outputs_};
}

std::string Booster::bytes() const {
  bst_ulong size = 0;
  const char* data = nullptr;
  check(XGBoosterSaveModelToBuffer(handle_.get(), R"({"format": "ubj"})", &size, &data));
  return {data, size};
}

void Booster::load(std::string_view bytes) {
  if (XGBoosterLoadModelFromBuffer(handle_.get(), bytes.data(), bytes.size()) != 0) {
    throw DataError("its trees are damaged");
  }
}

}  // namespace adacvar
