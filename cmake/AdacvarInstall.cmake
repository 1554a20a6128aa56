# Installs the public headers and the files by which `find_package(adacvar)` finds the parts.
# Libraries and their export sets are installed where they are made (AdacvarAddLibrary).

include(CMakePackageConfigHelpers)

set(adacvar_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adacvar)

# A static library leaves its private dependencies to whoever links it; a shared one does not.
set(adacvar_core_dependencies)
set(adacvar_report_dependencies)
set(adacvar_experiment_dependencies)
get_target_property(adacvar_core_type adacvar_core TYPE)
if(adacvar_core_type STREQUAL "STATIC_LIBRARY")
  set(adacvar_core_dependencies Eigen3 fmt LibLZMA Threads ZLIB nlohmann_json)
  set(adacvar_report_dependencies Boost fmt nlohmann_json)
  set(adacvar_experiment_dependencies fmt nlohmann_json)
endif()

# libtorch is part of the interface of deep, be it static or shared.
set(adacvar_deep_dependencies Torch)
set(adacvar_trees_dependencies)
if(adacvar_core_type STREQUAL "STATIC_LIBRARY")
  set(adacvar_trees_dependencies fmt)
endif()
set(adacvar_mpi_dependencies)
if(adacvar_core_type STREQUAL "STATIC_LIBRARY")
  set(adacvar_mpi_dependencies MPI fmt)
endif()
set(adacvar_headers_left_out)
foreach(part IN ITEMS deep trees mpi)
  if(NOT TARGET adacvar_${part})
    list(APPEND adacvar_headers_left_out PATTERN "adacvar/${part}" EXCLUDE)
  endif()
endforeach()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/adacvar-config.cmake.in
  ${PROJECT_BINARY_DIR}/adacvar-config.cmake
  INSTALL_DESTINATION ${adacvar_config_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/adacvar-config-version.cmake
  COMPATIBILITY SameMinorVersion)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/adacvar
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
  FILES_MATCHING PATTERN "*.hpp" ${adacvar_headers_left_out})
install(FILES ${PROJECT_BINARY_DIR}/include/adacvar/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/adacvar COMPONENT library)
install(FILES
  ${PROJECT_BINARY_DIR}/adacvar-config.cmake
  ${PROJECT_BINARY_DIR}/adacvar-config-version.cmake
  DESTINATION ${adacvar_config_dir} COMPONENT library)

# pkg-config knows the part core; the others are found by CMake.
set(adacvar_pc_requires)
if(adacvar_core_type STREQUAL "STATIC_LIBRARY")
  set(adacvar_pc_requires "fmt zlib liblzma")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/adacvar.pc.in ${PROJECT_BINARY_DIR}/adacvar.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/adacvar.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
