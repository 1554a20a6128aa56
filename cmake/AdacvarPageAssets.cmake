# The scripts and styles of report pages, made into a C++ file; sets adacvar_page_assets to it.

find_file(ADACVAR_CHART_JS NAMES chart.min.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH
  DOC "Chart.js 3, minified; report pages hold a copy")
if(NOT ADACVAR_CHART_JS)
  message(FATAL_ERROR "Chart.js is not found: install libjs-chart.js (scripts/install-deps.sh does), "
    "or give its minified file by -DADACVAR_CHART_JS=<file>")
endif()

set(adacvar_page_assets ${PROJECT_BINARY_DIR}/page_assets.cpp)
set(adacvar_page_files ${PROJECT_SOURCE_DIR}/src/report)
add_custom_command(OUTPUT ${adacvar_page_assets}
  COMMAND ${CMAKE_COMMAND} -D OUT=${adacvar_page_assets} -D CHART=${ADACVAR_CHART_JS}
    -D DIR=${adacvar_page_files} -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake ${ADACVAR_CHART_JS}
    ${adacvar_page_files}/chart_licence.txt ${adacvar_page_files}/page.js ${adacvar_page_files}/page.css
  COMMENT "Embedding the scripts of report pages"
  VERBATIM)
