#pragma once

#include <adacvar/base/communicator.hpp>

namespace adacvar {

/// A single process: one rank, which has all rows.
class SelfCommunicator final : public Communicator {
 public:
  [[nodiscard]] std::size_t rank() const noexcept override { return 0; }
  [[nodiscard]] std::size_t size() const noexcept override { return 1; }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  [[nodiscard]] GatheredBlocks all_gather(std::span<const std::byte> mine) override;
  [[nodiscard]] GatheredBlocks exchange(const GatheredBlocks& to) override { return to; }
  void broadcast(std::span<std::byte> /*data*/, std::size_t /*root*/) override {}
  void sum(std::span<std::int64_t> /*values*/) override {}
  void sum(std::span<double> /*values*/) override {}
};

}  // namespace adacvar
