# Targets `docs`, the reference of the public headers by Doxygen, in <build>/api, and `site`, all
# documents as pages that open offline, in <build>/site. Neither is built by default; each says what
# it lacks (scripts/install-deps.sh docs).

find_program(ADACVAR_DOXYGEN doxygen)
find_program(ADACVAR_PANDOC pandoc)
find_program(ADACVAR_PYTHON NAMES python3)
mark_as_advanced(ADACVAR_DOXYGEN ADACVAR_PANDOC)

# adacvar_say_missing(<target> <what>): a target that fails with a message.
function(adacvar_say_missing target what)
  add_custom_target(${target}
    COMMAND ${CMAKE_COMMAND} -E echo "${target} needs ${what}: scripts/install-deps.sh docs"
    COMMAND ${CMAKE_COMMAND} -E false)
endfunction()

configure_file(${PROJECT_SOURCE_DIR}/cmake/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
if(ADACVAR_DOXYGEN)
  add_custom_target(docs
    COMMAND ${ADACVAR_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMENT "Writing the reference of the headers to ${PROJECT_BINARY_DIR}/api"
    VERBATIM)
else()
  adacvar_say_missing(docs doxygen)
endif()
if(ADACVAR_DOXYGEN AND ADACVAR_PANDOC AND ADACVAR_PYTHON)
  add_custom_target(site
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${PROJECT_BINARY_DIR}/site
    COMMAND ${ADACVAR_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/make_site.py
      ${PROJECT_BINARY_DIR}/site --api ${PROJECT_BINARY_DIR}/api
    COMMENT "Writing all documents to ${PROJECT_BINARY_DIR}/site/index.html"
    VERBATIM)
  add_dependencies(site docs)
else()
  adacvar_say_missing(site "doxygen, pandoc and python3")
endif()
