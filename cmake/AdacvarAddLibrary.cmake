# One way to make every library of the project, so that no line is repeated per target.

# Warnings of our own code; never passed on to users of the library.
function(adacvar_set_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
    $<$<BOOL:${ADACVAR_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# adacvar_precompile(<target> [<header>...] | REUSE_FROM <other target>)
# compiles the headers that most files read, and those given, once for the target, or takes those
# of another. A file still includes what it uses: the presets that check the code (asan, tsan, tidy)
# build without this, by CMAKE_DISABLE_PRECOMPILE_HEADERS.
function(adacvar_precompile target)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  if("${ARGV1}" STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <charconv> <cmath> <cstddef> <cstdint> <filesystem> <functional>
      <limits> <map> <memory> <numeric> <optional> <span> <string> <string_view> <utility>
      <variant> <vector> ${ARGN})
  endif()
  # ccache finds the precompiled header by what the first adds to the preprocessor's output. The
  # others: <bits/char_traits.h> silences these warnings, which are false, for itself by pragmas,
  # and g++ forgets pragmas of precompiled headers.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      -fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# adacvar_compile_quickly(<target>)
# For code that reads options and writes text, where optimisation gains nothing: a quarter less
# compile time in a release build.
function(adacvar_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# adacvar_add_library(<part> SOURCES ... [PUBLIC_DEPS ...] [PRIVATE_DEPS ...])
# makes the target adacvar_<part>, alias adacvar::<part>, with an export set of its own.
function(adacvar_add_library part)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC_DEPS;PRIVATE_DEPS" ${ARGN})
  set(target adacvar_${part})
  add_library(${target} ${ARG_SOURCES})
  add_library(adacvar::${part} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${part} OUTPUT_NAME adacvar_${part}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  # A fused multiply-add rounds once where two operations round twice: forbidding it keeps
  # draws the same on machines with and without that instruction.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  adacvar_set_warnings(${target})
  install(TARGETS ${target} EXPORT adacvar-${part}-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
  install(EXPORT adacvar-${part}-targets NAMESPACE adacvar::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/adacvar COMPONENT library)
endfunction()
