# adacvar_find_python(<result>) says whether the Python module is built, as ADACVAR_BUILD_PYTHON
# wants it; then the command pybind11_add_module is there. Unless -DPython_EXECUTABLE names another,
# the interpreter is that of the distribution, whose packages (NumPy, scikit-learn) the tests use.
macro(adacvar_find_python result)
  set(${result} FALSE)
  if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  if(NOT ADACVAR_BUILD_PYTHON STREQUAL "OFF")
    find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
    find_package(pybind11 2.10 QUIET CONFIG)
    if(Python_FOUND AND pybind11_FOUND)
      set(${result} TRUE)
    elseif(NOT ADACVAR_BUILD_PYTHON STREQUAL "AUTO")
      message(FATAL_ERROR "ADACVAR_BUILD_PYTHON is ON, but Python's headers or pybind11 are not "
        "found: install them (scripts/install-deps.sh python), or leave the module out by "
        "-DADACVAR_BUILD_PYTHON=OFF")
    else()
      message(STATUS "Python's headers or pybind11 are not found: the Python module is left out")
    endif()
  endif()
endmacro()
