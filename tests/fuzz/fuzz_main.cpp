// Entry point of libFuzzer for the reader ADACVAR_FUZZ_TARGET: see tests/fuzz/README.md.

#include "fuzz/fuzz_targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  adacvar::fuzz::run_target(ADACVAR_FUZZ_TARGET, {reinterpret_cast<const char*>(data), size});
  return 0;
}
