#include "cli/program.hpp"

int main(int count, char** arguments) { return adacvar::cli::run_program(count, arguments); }
