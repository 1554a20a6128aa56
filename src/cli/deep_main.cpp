#include "cli/program.hpp"

#include <adacvar/deep/train_module.hpp>

// The same program with networks: adacvar starts it when one is asked for.
int main(int count, char** arguments) {
  adacvar::set_network_maker(adacvar::torch_network_maker());
  return adacvar::cli::run_program(count, arguments);
}
