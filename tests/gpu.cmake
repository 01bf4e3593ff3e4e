# The tests that take a backend's name, once more on the GPU; they are skipped where there is none.
if(CMAKE_CUDA_COMPILER)
    foreach(name test_packing test_identity)
        add_test(NAME ${name}.cuda COMMAND ${name} cuda)
        set_tests_properties(${name}.cuda PROPERTIES SKIP_RETURN_CODE 77 LABELS cuda RUN_SERIAL ON)
    endforeach()
endif()

# Times the kernels of a backend; not a test.
add_executable(bench_kernels bench_kernels.c)
target_link_libraries(bench_kernels PRIVATE app)
