# Installs the build tree, then builds and runs a stranger's project against what was installed;
# a wrong version or a part that was not built must be refused, each with its own message.

set(scratch ${BUILD}/install_test)
set(prefix ${scratch}/prefix)
file(REMOVE_RECURSE ${scratch})

# run(<words...>) stops the test unless the command succeeds; its output is left in `output`.
function(run)
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "failed: ${line}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect what text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what} must match '${pattern}', but is:\n${text}")
  endif()
endfunction()

# The command that configures the outside project in its own folder `name`.
function(configure_command result name prefix wanted)
  # A list would not survive the calls on its way.
  string(REPLACE ";" "," wanted "${wanted}")
  set(command ${CMAKE_COMMAND} -S ${SOURCE}/tests/install/outside -B ${scratch}/${name}
    -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} "-DWANTED=${wanted}")
  if(LAUNCHER)
    list(APPEND command -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
  endif()
  set(${result} "${command}" PARENT_SCOPE)
endfunction()

function(must_work name prefix wanted)
  configure_command(configure ${name} ${prefix} "${wanted}")
  run(${configure})
  expect("the package found by '${name}'" "${output}" "found: ${prefix}/")
  run(${CMAKE_COMMAND} --build ${scratch}/${name})
  run(${scratch}/${name}/outside)
  expect("the output of '${name}'" "${output}" "^adacvar ${VERSION}: 3.5\n$")
  if(wanted MATCHES deep)
    run(${scratch}/${name}/outside_deep)
    expect("the output of 'outside_deep'" "${output}" "^mlp gives 4 x 2\n$")
  endif()
endfunction()

function(must_be_refused name wanted pattern)
  configure_command(configure ${name} ${prefix} "${wanted}")
  execute_process(COMMAND ${configure}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    message(FATAL_ERROR "find_package(adacvar ${wanted}) must be refused, but is accepted")
  endif()
  # CMake wraps its messages.
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  expect("the refusal of '${name}'" "${output}" "${pattern}")
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${prefix})

must_work(same_version ${prefix} "0.1")
must_work(core_by_name ${prefix} "0.1;COMPONENTS;core;OPTIONAL_COMPONENTS;nothing")

foreach(version IN ITEMS 0.0 0.99 1.0)
  must_be_refused(version_${version} ${version}
    "compatible with requested version \"${version}\".*version: ${VERSION}")
endforeach()
must_be_refused(part_not_built "0.1;COMPONENTS;nothing"
  "this adacvar was built without the part 'nothing'")
if(WITH_DEEP)
  must_work(deep ${prefix} "0.1;COMPONENTS;deep")
else()
  must_be_refused(deep "0.1;COMPONENTS;deep" "this adacvar was built without the part 'deep'")
endif()

# What was installed is found after a move, and nothing in it remembers where it was made.
file(RENAME ${prefix} ${scratch}/moved)
must_work(moved_prefix ${scratch}/moved "0.1")
if(WITH_PROGRAM)
  run(${scratch}/moved/bin/adacvar --version)
  expect("the output of the program" "${output}" "^adacvar ${VERSION}\n$")
  foreach(page IN ITEMS man/man1/adacvar.1 man/man1/adacvar-train.1
                        bash-completion/completions/adacvar zsh/site-functions/_adacvar
                        fish/vendor_completions.d/adacvar.fish)
    file(SIZE ${scratch}/moved/share/${page} size)
    if(size LESS 1000)
      message(FATAL_ERROR "${page} has only ${size} bytes")
    endif()
  endforeach()
endif()
find_program(pkg_config pkg-config)
if(pkg_config AND FLAGS STREQUAL "")
  file(GLOB_RECURSE pc ${scratch}/moved/adacvar.pc)
  cmake_path(GET pc PARENT_PATH pc_dir)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir} ${pkg_config} --cflags --libs adacvar)
  separate_arguments(words UNIX_COMMAND "${output}")
  run(${COMPILER} -std=c++20 ${SOURCE}/tests/install/outside/main.cpp ${words}
    -o ${scratch}/by_pkg_config)
  run(${scratch}/by_pkg_config)
  expect("the output of the program made by pkg-config" "${output}" "^adacvar ${VERSION}: 3.5\n$")
endif()
if(PYTHON)
  file(GLOB module ${scratch}/moved/lib/python*/*-packages/adacvar/__init__.py)
  cmake_path(GET module PARENT_PATH package)
  cmake_path(GET package PARENT_PATH packages)
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${packages}
    ${PYTHON} -c "import adacvar, numpy\nprint(adacvar.cvar(numpy.arange(1.0, 5.0), 0.5))")
  expect("the output of Python" "${output}" "^3.5\n$")
  # As a package of Debian.
  run(${CMAKE_COMMAND} -E env DESTDIR=${scratch}/debian
    ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix /usr --component python)
  if(NOT EXISTS ${scratch}/debian/usr/lib/python3/dist-packages/adacvar/__init__.py)
    message(FATAL_ERROR "the Python package of /usr is not where Debian's interpreter looks")
  endif()
endif()
file(GLOB_RECURSE configs ${scratch}/moved/*.cmake)
foreach(config IN LISTS configs)
  file(READ ${config} text)
  foreach(place IN ITEMS ${SOURCE} ${BUILD})
    string(FIND "${text}" "${place}/" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${config} names ${place}")
    endif()
  endforeach()
endforeach()
