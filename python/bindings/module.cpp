#include "module.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/version.hpp>

// OptionError derives from std::invalid_argument, which pybind11 makes a ValueError.
PYBIND11_MODULE(_adacvar, module) {
  namespace py = pybind11;
  py::options options;
  options.disable_function_signatures();  // docstrings begin with their own
  module.doc() = "The engine of adacvar. Its functions are re-exported by the package adacvar.";
  module.attr("__version__") = ADACVAR_VERSION;
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const adacvar::DataError& caught) {
      PyErr_SetString(PyExc_ValueError, caught.what());
    } catch (const adacvar::NumericalError& caught) {
      PyErr_SetString(PyExc_FloatingPointError, caught.what());
    }
  });
  adacvar::python::add_risk(module);
  adacvar::python::add_sampler(module);
  adacvar::python::add_models(module);
}
