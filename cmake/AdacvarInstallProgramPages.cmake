# Manual pages and completions of shells, which the program prints itself; made after it is linked
# and installed with it. Not where the program cannot run here.

if(CMAKE_CROSSCOMPILING)
  return()
endif()

set(pages_dir ${CMAKE_CURRENT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages_dir})
add_custom_command(OUTPUT ${pages_dir}/adacvar.1
  COMMAND adacvar_cli pages ${pages_dir} DEPENDS adacvar_cli
  COMMENT "Writing manual pages and completions")
add_custom_target(adacvar_pages ALL DEPENDS ${pages_dir}/adacvar.1)

install(DIRECTORY ${pages_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program
  FILES_MATCHING PATTERN "*.1")
install(FILES ${pages_dir}/adacvar.bash RENAME adacvar
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${pages_dir}/adacvar.zsh RENAME _adacvar
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${pages_dir}/adacvar.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
