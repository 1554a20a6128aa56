#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <future>

namespace adacvar::python {

namespace py = pybind11;

/// Returns work(stop) without Python's lock, on a thread of its own, while this one looks for
/// signals: Ctrl-C sets `stop`, waits for the end of the work and raises KeyboardInterrupt.
template <class Work>
auto interruptible(const Work& work) {
  std::atomic<bool> stop = false;
  auto result = std::async(std::launch::async, [&] { return work(&stop); });
  bool is_interrupted = false;
  {
    const py::gil_scoped_release release;
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      const py::gil_scoped_acquire acquire;
      if (is_interrupted || PyErr_CheckSignals() == 0) continue;
      is_interrupted = true;
      stop = true;
      PyErr_Clear();
    }
  }
  if (is_interrupted) {
    result.wait();
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  return result.get();
}

}  // namespace adacvar::python
