# adacvar_find_xgboost(<result>) says whether the part trees is built, as ADACVAR_BUILD_TREES wants
# it; then ADACVAR_XGBOOST_LIBRARY and ADACVAR_XGBOOST_INCLUDE are set. Debian's package files of
# XGBoost name a library that its package lacks, so they are not used.
function(adacvar_find_xgboost result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT ADACVAR_BUILD_TREES)
    return()
  endif()
  find_library(ADACVAR_XGBOOST_LIBRARY xgboost)
  find_path(ADACVAR_XGBOOST_INCLUDE xgboost/c_api.h)
  mark_as_advanced(ADACVAR_XGBOOST_LIBRARY ADACVAR_XGBOOST_INCLUDE)
  if(ADACVAR_XGBOOST_LIBRARY AND ADACVAR_XGBOOST_INCLUDE)
    set(${result} TRUE PARENT_SCOPE)
  elseif(ADACVAR_BUILD_TREES STREQUAL "AUTO")
    message(STATUS "XGBoost is not found: the part trees is left out")
  else()
    message(FATAL_ERROR "ADACVAR_BUILD_TREES is ON, but XGBoost is not found: install it "
      "(scripts/install-deps.sh trees), give its folder by -DCMAKE_PREFIX_PATH=<folder>, or leave "
      "the trees out by -DADACVAR_BUILD_TREES=OFF")
  endif()
endfunction()
