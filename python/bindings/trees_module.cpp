// The module adacvar._trees, which is loaded when trees are first needed: XGBoost brings OpenMP.

#include <adacvar/trees/xgboost_trees.hpp>

#include <pybind11/pybind11.h>

namespace py = pybind11;

PYBIND11_MODULE(_trees, module) {
  module.doc() = "Boosted trees over XGBoost.";
  module.def("maker", [] {
    static const std::unique_ptr<const adacvar::TreeMaker> maker = adacvar::xgboost_tree_maker();
    return py::capsule(static_cast<const void*>(maker.get()));
  });
}
