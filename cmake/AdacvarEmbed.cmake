# adacvar_embed(<target> NAME <constant> FILE <file> HEADER <path>)
# makes a private header <path> in which the string view <constant> holds the text of the file.
function(adacvar_embed target)
  cmake_parse_arguments(ARG "" "NAME;FILE;HEADER" "" ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FILE})
  file(READ ${PROJECT_SOURCE_DIR}/${ARG_FILE} text)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded_text.hpp.in
    ${PROJECT_BINARY_DIR}/embedded/${ARG_HEADER} @ONLY)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()
