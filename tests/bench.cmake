# Every variant of the bench against fp64, and again with an error planted into what it reads; nothing is timed to
# be judged. The bench of each table is told by the program's own list.
add_test(NAME bench_quick COMMAND cardiac bench all --quick --device cpu --threads 2)
add_test(NAME bench_inject COMMAND cardiac bench all --quick --device cpu --threads 1 --inject)
add_test(NAME bench_profile COMMAND cardiac bench step --profile --vendor --quick --device cpu --threads 2
    --set solver.precision=mixed --set solver.ordering=hilbert)
add_test(NAME bench_profile_inject COMMAND cardiac bench step --profile --quick --device cpu --threads 1 --inject)
add_test(NAME bench_command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/bench_command.sh $<TARGET_FILE:cardiac>)

# The same on a GPU; skipped where there is none.
if(with_cuda)
    add_test(NAME bench_quick.cuda
        COMMAND sh -c "'$<TARGET_FILE:cardiac>' info | grep -q '^cuda:0' || exit 77; '$<TARGET_FILE:cardiac>' bench all --quick --vendor --device cuda")
    add_test(NAME bench_profile.cuda
        COMMAND sh -c "'$<TARGET_FILE:cardiac>' info | grep -q '^cuda:0' || exit 77; '$<TARGET_FILE:cardiac>' bench step --profile --quick --device cuda")
    set_tests_properties(bench_quick.cuda bench_profile.cuda PROPERTIES SKIP_RETURN_CODE 77 LABELS cuda RUN_SERIAL ON)
endif()

# The bench is a library of its own: no run and no test but these two contains any of it.
foreach(name test_cachelines test_matrix_market)
    target_link_libraries(${name} PRIVATE app_bench)
endforeach()
add_test(NAME bench_apart COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/bench_apart.sh ${CMAKE_BINARY_DIR}
    $<TARGET_FILE:app_bench> $<TARGET_FILE:kernels_bench> --
    $<TARGET_FILE:app> $<TARGET_FILE:solver> $<TARGET_FILE:kernels>)
set_tests_properties(bench_apart PROPERTIES SKIP_RETURN_CODE 77)
