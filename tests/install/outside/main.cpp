#include <adacvar/risk/cvar.hpp>
#include <adacvar/version.hpp>

#include <array>
#include <cstdio>

int main() {
  const std::array losses = {1.0, 2.0, 3.0, 4.0};
  // The worst half: (3 + 4) / 2.
  std::printf("adacvar %s: %g\n", ADACVAR_VERSION, adacvar::cvar(losses, 0.5));
}
