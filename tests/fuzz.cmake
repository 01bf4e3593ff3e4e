# Fuzzers, tests/fuzz/fuzz_<name>.c with the corpus tests/fuzz/<name>/: configure with
# CC=clang cmake -DCARDIAC_FUZZ=ON, then run build/fuzz_<name> tests/fuzz/<name>.
option(CARDIAC_FUZZ "libFuzzer targets (clang only)" OFF)
if(CARDIAC_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "CARDIAC_FUZZ needs clang: CC=clang cmake ...")
    endif()
    target_compile_options(cardiac_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined
        -fno-sanitize-recover=all -Wno-error)
    target_link_options(cardiac_flags INTERFACE -fsanitize=address,undefined)
    file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.c)
    foreach(source ${fuzzers})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        target_link_libraries(${name} PRIVATE app)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    endforeach()
endif()
