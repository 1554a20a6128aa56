#pragma once

#include <adacvar/learner/network.hpp>
#include <adacvar/learner/nonlinear_model.hpp>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace adacvar {

/// Networks whose scores are multiplied by factors and added: one with a temperature, or a mixture.
class WeightedNetworks final : public NonlinearModel {
 public:
  struct Member {
    std::shared_ptr<const Network> network;
    double factor = 1;
  };

  /// Precondition: at least one member, all with the same outputs.
  explicit WeightedNetworks(std::vector<Member> members) : members_(std::move(members)) {}

  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }
  [[nodiscard]] std::shared_ptr<const NonlinearModel> scaled(double factor) const override {
    std::vector<Member> members = members_;
    for (Member& member : members) member.factor *= factor;
    return std::make_shared<WeightedNetworks>(std::move(members));
  }

  [[nodiscard]] std::size_t outputs() const noexcept override {
    return members_[0].network->outputs();
  }
  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override {
    members_[0].network->scores(data, rows, scores);
    for (double& score : scores) score *= members_[0].factor;
    std::vector<double> others(members_.size() > 1 ? scores.size() : 0);
    for (std::size_t m = 1; m < members_.size(); ++m) {
      members_[m].network->scores(data, rows, others);
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += members_[m].factor * others[i];
    }
  }
  [[nodiscard]] std::uint64_t parameter_count() const override {
    std::uint64_t count = 0;
    for (const Member& member : members_) count += member.network->parameter_count();
    return count;
  }
  [[nodiscard]] double norm() const override {
    double squares = 0;
    for (const Member& member : members_) squares += std::pow(member.network->norm(), 2);
    return std::sqrt(squares);
  }

 private:
  std::vector<Member> members_;
};

}  // namespace adacvar
