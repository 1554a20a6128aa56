# adacvar_find_mpi(<result>) says whether the part mpi is built, as ADACVAR_BUILD_MPI wants it; then
# there is the target MPI::MPI_CXX. A macro, since that target is of the folder that finds it.
macro(adacvar_find_mpi result)
  set(${result} FALSE)
  if(ADACVAR_BUILD_MPI)
    set(MPI_CXX_SKIP_MPICXX TRUE)  # the interface of C is used
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
      set(${result} TRUE)
    elseif(ADACVAR_BUILD_MPI STREQUAL "AUTO")
      message(STATUS "MPI is not found: the part mpi is left out")
    else()
      message(FATAL_ERROR "ADACVAR_BUILD_MPI is ON, but MPI is not found: install it "
        "(scripts/install-deps.sh mpi), give its folder by -DMPI_HOME=<folder>, or leave it out by "
        "-DADACVAR_BUILD_MPI=OFF")
    endif()
  endif()
endmacro()
