# Every ```cpp block of README.md is a program, and the next block must be ```text: what it
# prints. Each is built here, against the library of this build tree, and run by ctest.

set(readme ${PROJECT_SOURCE_DIR}/README.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${readme})
file(READ ${readme} rest)

# Moves the text up to `mark` from `rest` to `result`; both and `line` are the caller's.
macro(take_until mark result complaint)
  string(FIND "${rest}" "${mark}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "README.md:${line}: ${complaint}")
  endif()
  string(SUBSTRING "${rest}" 0 ${at} ${result})
  string(LENGTH "${mark}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${rest}" ${at} -1 rest)
  string(REGEX REPLACE "[^\n]" "" newlines "${${result}}${mark}")
  string(LENGTH "${newlines}" newlines)
  math(EXPR line "${line} + ${newlines}")
endmacro()

function(write_if_changed path text)
  if(EXISTS ${path})
    file(READ ${path} old)
    if(old STREQUAL text)
      return()
    endif()
  endif()
  file(WRITE ${path} "${text}")
endfunction()

set(line 1)
set(number 0)
while(TRUE)
  string(FIND "${rest}" "\n```cpp\n" at)
  if(at EQUAL -1)
    break()
  endif()
  take_until("\n```cpp\n" ignored "")
  math(EXPR number "${number} + 1")
  set(code_line ${line})
  take_until("\n```\n" code "this block has no end")
  take_until("\n```" ignored "a ```text block with the program's output must follow")
  if(NOT rest MATCHES "^text\n")
    message(FATAL_ERROR "README.md:${line}: a ```text block with the output of the program of "
      "line ${code_line} must follow it")
  endif()
  take_until("\n" ignored "")
  take_until("```\n" expected "this block has no end")

  set(program readme_block_${number})
  write_if_changed(${CMAKE_CURRENT_BINARY_DIR}/${program}.cpp
    "#line ${code_line} \"${readme}\"\n${code}\n")
  write_if_changed(${CMAKE_CURRENT_BINARY_DIR}/${program}.txt "${expected}")
  add_executable(${program} ${CMAKE_CURRENT_BINARY_DIR}/${program}.cpp)
  target_link_libraries(${program} PRIVATE adacvar::core)
  adacvar_set_warnings(${program})
  adacvar_add_script_test(${program} ${CMAKE_COMMAND}
    -DPROGRAM=$<TARGET_FILE:${program}>
    -DEXPECTED=${CMAKE_CURRENT_BINARY_DIR}/${program}.txt
    -DWHERE=README.md:${code_line}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/compare_output.cmake)
endwhile()

if(number EQUAL 0)
  message(FATAL_ERROR "README.md has no C++ example")
endif()
