# The layers app -> solver -> kernels, and proof that the test of them bites.
foreach(script layers layers_bite rooms)
    add_test(NAME ${script} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${script}.sh ${PROJECT_SOURCE_DIR})
endforeach()
