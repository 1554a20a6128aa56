# Files that the build puts into the library.

find_file(ADACVAR_CHART_JS NAMES chart.min.js chart.umd.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH
  DOC "Chart.js 3 or 4, minified; report pages hold a copy")
if(NOT ADACVAR_CHART_JS)
  message(FATAL_ERROR "Chart.js is not found: install libjs-chart.js (scripts/install-deps.sh does), "
    "or give its minified file by -DADACVAR_CHART_JS=<file>")
endif()

# adacvar_embed(<target> HEADER <header> TEXTS <constant> <file> [<constant> <file>...])
# defines the string views that a private header declares, each with the text of a file.
function(adacvar_embed target)
  cmake_parse_arguments(ARG "" "HEADER" "TEXTS" ${ARGN})
  string(MAKE_C_IDENTIFIER ${ARG_HEADER} stem)
  set(out ${PROJECT_BINARY_DIR}/embedded_${stem}.cpp)
  set(texts)
  set(files)
  while(ARG_TEXTS)
    list(POP_FRONT ARG_TEXTS name file)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND texts ${name} ${file})
    list(APPEND files ${file})
  endwhile()
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -D OUT=${out} -D HEADER=${ARG_HEADER} -D "TEXTS=${texts}"
      -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake ${files}
    COMMENT "Embedding the texts of ${ARG_HEADER}"
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
