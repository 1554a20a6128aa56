# Debian packages of what is built, by `cpack` in the build folder: adacvar (the program with trees,
# where they are built), adacvar-deep, libadacvar-dev and python3-adacvar. Dependencies on shared
# libraries are found by dpkg-shlibdeps.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME adacvar)
set(CPACK_PACKAGE_CONTACT "the adacvar developers <adacvar@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")

set(CPACK_COMPONENTS_ALL)
# adacvar_package(<component> <name> <section> <description>)
macro(adacvar_package component name section description)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${PROJECT_DESCRIPTION}\n ${description}")
endmacro()

adacvar_package(library libadacvar-dev libdevel "Headers, static libraries, CMake and pkg-config files.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "libeigen3-dev, libfmt-dev, liblzma-dev, zlib1g-dev, nlohmann-json3-dev, libboost-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libtorch-dev, libxgboost-dev")
if(TARGET adacvar_cli)
  adacvar_package(program adacvar science "The program, its manual pages and completions.")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "adacvar-deep")
endif()
if(TARGET adacvar_deep_cli)
  adacvar_package(deep adacvar-deep science "Networks, which the program starts when it needs them.")
  set(CPACK_DEBIAN_DEEP_PACKAGE_DEPENDS "adacvar (= ${PROJECT_VERSION})")
endif()
if(TARGET adacvar_python)
  adacvar_package(python python3-adacvar python "The Python module.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-sklearn, python3-pandas, python3-torch")
endif()

include(CPack)
