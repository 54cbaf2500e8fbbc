# SPDX-License-Identifier: GPL-3.0-or-later
# Flags and helpers that every target of the project shares.

add_library(partita_options INTERFACE)
target_compile_options(partita_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2 -Wundef
    # The same scenario gives the same bytes in every configuration: no fused multiply-add, no reassociation.
    -ffp-contract=off
    # GCC 12 sees overflows and overlaps in inlined std::string and std::vector copies that are not there (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wlogical-op;-Wno-stringop-overflow;-Wno-array-bounds;-Wno-restrict>)
set(PARTITA_TEST_TIMEOUT 300) # s
if(PARTITA_SANITIZE)
    set(PARTITA_TEST_TIMEOUT 3000)
    target_compile_options(partita_options INTERFACE
        -fsanitize=${PARTITA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(partita_options INTERFACE -fsanitize=${PARTITA_SANITIZE})
endif()
if(PARTITA_FUZZ)
    # Without it libFuzzer sees nothing of what the readers do.
    target_compile_options(partita_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# partita_test(NAME [WIDGETS] [SOURCES ...]): a Qt Test program from NAME.cpp, run headless.
# Every test sees an empty home, the source tree's presets and no debugger on a crash.
function(partita_test name)
    cmake_parse_arguments(ARG "WIDGETS" "" "SOURCES;LIBRARIES" ${ARGN})
    add_executable(${name} ${name}.cpp ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name} PRIVATE
        PARTITA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PARTITA_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared"
        QT_NO_KEYWORDS)
    target_link_libraries(${name} PRIVATE partita_core partita_options Qt6::Test ${ARG_LIBRARIES})
    if(ARG_WIDGETS)
        target_link_libraries(${name} PRIVATE partita_widgets)
    endif()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${PARTITA_TEST_TIMEOUT} ENVIRONMENT
        "QT_QPA_PLATFORM=offscreen;QTEST_DISABLE_STACK_DUMP=1;QTEST_FUNCTION_TIMEOUT=1500000;HOME=${CMAKE_CURRENT_BINARY_DIR}/home-${name};XDG_RUNTIME_DIR=${CMAKE_CURRENT_BINARY_DIR}/run-${name}")
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/home-${name})
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/run-${name})
    file(CHMOD ${CMAKE_CURRENT_BINARY_DIR}/run-${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
