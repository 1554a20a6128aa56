#include "cli/program.hpp"

#include <adacvar/deep/train_module.hpp>

#include <memory>

// The same program with networks, and with boosted trees where they are built; adacvar starts it
// when the options need networks.
int main(int count, char** arguments) {
  const auto networks = adacvar::torch_network_maker();
  const auto trees = adacvar::cli::make_tree_maker();
  return adacvar::cli::run_program(count, arguments, {networks.get(), trees.get()});
}
