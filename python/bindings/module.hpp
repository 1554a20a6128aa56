#pragma once

#include <pybind11/pybind11.h>

namespace adacvar::python {

namespace py = pybind11;

void add_risk(py::module_& module);
void add_sampler(py::module_& module);
void add_models(py::module_& module);

}  // namespace adacvar::python
