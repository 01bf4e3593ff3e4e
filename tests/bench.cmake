# Every variant of the bench against fp64, and again with an error planted into what it reads; nothing is timed to
# be judged. The bench of each table is told by the program's own list.
add_test(NAME bench_quick COMMAND cardiac bench all --quick --device cpu --threads 2)
add_test(NAME bench_inject COMMAND cardiac bench all --quick --device cpu --threads 1 --inject)
add_test(NAME bench_command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/bench_command.sh $<TARGET_FILE:cardiac>)

# The same on a GPU; skipped where there is none.
if(with_cuda)
    add_test(NAME bench_quick.cuda
        COMMAND sh -c "'$<TARGET_FILE:cardiac>' info | grep -q '^cuda:0' || exit 77; '$<TARGET_FILE:cardiac>' bench all --quick --device cuda")
    set_tests_properties(bench_quick.cuda PROPERTIES SKIP_RETURN_CODE 77 LABELS cuda RUN_SERIAL ON)
endif()
