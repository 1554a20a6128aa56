# adacvar_find_torch(<result>) says whether the part deep is built, as ADACVAR_BUILD_DEEP wants it;
# then the target `torch` is there. A function, so that what libtorch's package files set (flags,
# module paths) stays in it: only its imported targets are seen outside, and only those who link
# them get their flags. Headers of imported targets are system headers: our warnings skip them.
function(adacvar_find_torch result)
  set(${result} FALSE PARENT_SCOPE)
  if(ADACVAR_BUILD_DEEP STREQUAL "AUTO")
    find_package(Torch QUIET)
    if(NOT Torch_FOUND)
      message(STATUS "libtorch is not found: the part deep is left out")
      return()
    endif()
  elseif(ADACVAR_BUILD_DEEP)
    find_package(Torch QUIET)
    if(NOT Torch_FOUND)
      message(FATAL_ERROR "ADACVAR_BUILD_DEEP is ON, but libtorch is not found: install it "
        "(scripts/install-deps.sh deep), give its folder by -DTorch_DIR=<folder of "
        "TorchConfig.cmake>, or leave the networks out by -DADACVAR_BUILD_DEEP=OFF")
    endif()
  else()
    return()
  endif()
  set(${result} TRUE PARENT_SCOPE)
endfunction()
