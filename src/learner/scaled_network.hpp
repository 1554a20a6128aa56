#pragma once

#include <adacvar/learner/network.hpp>

#include <memory>
#include <utility>

namespace adacvar {

/// A network whose scores are multiplied by a factor. Its weights are those of the network.
class ScaledNetwork final : public Network {
 public:
  ScaledNetwork(std::shared_ptr<const Network> network, double factor)
      : network_(std::move(network)), factor_(factor) {}

  [[nodiscard]] std::size_t outputs() const noexcept override { return network_->outputs(); }
  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override {
    network_->scores(data, rows, scores);
    for (double& score : scores) score *= factor_;
  }
  [[nodiscard]] std::string weights() const override { return network_->weights(); }
  [[nodiscard]] std::uint64_t parameter_count() const override {
    return network_->parameter_count();
  }
  [[nodiscard]] double norm() const override { return network_->norm(); }

 private:
  std::shared_ptr<const Network> network_;
  double factor_;
};

}  // namespace adacvar
