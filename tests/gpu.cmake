# The tests that take a backend's name, once more on the GPU; they are skipped where there is none.
if(with_cuda)
    foreach(name test_packing test_identity test_rearm test_snapshot)
        add_test(NAME ${name}.cuda COMMAND ${name} cuda)
        set_tests_properties(${name}.cuda PROPERTIES SKIP_RETURN_CODE 77 LABELS cuda RUN_SERIAL ON)
    endforeach()
endif()

# Times the operations and steps of a backend, on a GPU beside the driver's copy and cuSPARSE; not a test.
add_executable(bench_kernels bench_kernels.c)
target_link_libraries(bench_kernels PRIVATE app)
if(TARGET CUDA::cusparse)
    add_library(bench_reference STATIC bench_reference.cu)
    target_include_directories(bench_reference PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(bench_reference PUBLIC CUDA::cudart_static CUDA::cusparse)
    target_link_libraries(bench_kernels PRIVATE bench_reference)
    target_compile_definitions(bench_kernels PRIVATE BENCH_REFERENCE)
endif()
