#include <adacvar/deep/networks.hpp>

#include <cstdio>

int main() {
  auto network = adacvar::make_network({.network = "mlp"}, {.features = 3, .outputs = 2});
  const torch::Tensor scores = network.forward(torch::ones({4, 3}));
  std::printf("mlp gives %d x %d\n", static_cast<int>(scores.size(0)),
              static_cast<int>(scores.size(1)));
}
