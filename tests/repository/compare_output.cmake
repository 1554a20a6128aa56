# cmake -DPROGRAM= -DEXPECTED=<file> -DWHERE=<for the message> -P <this>

execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE printed)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the program of ${WHERE} ended with ${status}")
elseif(NOT printed STREQUAL expected)
  message(FATAL_ERROR "the program of ${WHERE} printed\n${printed}but README says\n${expected}")
endif()
