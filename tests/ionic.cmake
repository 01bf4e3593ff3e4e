# The timing of the ionic models: built with the tests, run by hand.
add_executable(bench_ionic ${CMAKE_CURRENT_SOURCE_DIR}/bench_ionic.c)
target_link_libraries(bench_ionic PRIVATE kernels)
if(TARGET kernels_avx512 AND NOT CARDIAC_SANITIZE)
    foreach(clone avx2 avx512)
        string(REPLACE avx512 zmm register ${clone})
        string(REPLACE avx2 ymm register ${register})
        add_test(NAME vector_${clone} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/vector.sh ${register}
            $<TARGET_OBJECTS:kernels_${clone}> COMMAND_EXPAND_LISTS)
        set_tests_properties(vector_${clone} PROPERTIES SKIP_RETURN_CODE 77)
    endforeach()
endif()
