# cmake -DCOMPILER= -DSOURCE= -DINCLUDES=<a|b> [-DDEFINE=] [-DFAILS_WITH=<regex>] -P <this>

set(ENV{LC_ALL} C)  # messages in English, with plain quotes
set(command ${COMPILER} -std=c++20 -fsyntax-only)
string(REPLACE "|" ";" INCLUDES "${INCLUDES}")
foreach(folder IN LISTS INCLUDES)
  list(APPEND command -I ${folder})
endforeach()
if(DEFINE)
  list(APPEND command -D${DEFINE})
endif()

execute_process(COMMAND ${command} ${SOURCE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(NOT FAILS_WITH)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} must compile, but:\n${output}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} must not compile, but it does")
elseif(NOT output MATCHES "${FAILS_WITH}")
  message(FATAL_ERROR
    "${SOURCE} must fail to compile with a message like '${FAILS_WITH}', but:\n${output}")
endif()
