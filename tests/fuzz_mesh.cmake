# The corpora of the mesh readers' fuzzers, replayed without a fuzzer.
foreach(name gmsh opencarp tetgen)
    add_executable(replay_${name} fuzz/replay.c fuzz/fuzz_${name}.c)
    target_link_libraries(replay_${name} PRIVATE app)
    add_test(NAME replay_${name} COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name})
endforeach()
