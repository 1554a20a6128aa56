#include "cli/program.hpp"

#include <adacvar/deep/train_module.hpp>

// The same program with networks; adacvar starts it when the options need one.
int main(int count, char** arguments) {
  return adacvar::cli::run_program(count, arguments, adacvar::torch_network_maker().get());
}
