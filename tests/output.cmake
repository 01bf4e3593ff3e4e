# A sample result, read by VTK where Python has it.
add_executable(sample_output ${CMAKE_CURRENT_SOURCE_DIR}/sample_output.c)
target_link_libraries(sample_output PRIVATE app)
find_package(Python3 COMPONENTS Interpreter)
add_test(NAME write_sample COMMAND sample_output ${CMAKE_BINARY_DIR}/sample.vtkhdf 11 0 4)
set_tests_properties(write_sample PROPERTIES FIXTURES_SETUP sample)
if(Python3_FOUND)
    add_test(NAME read_with_vtk COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/read_with_vtk.py
        ${CMAKE_BINARY_DIR}/sample.vtkhdf)
    set_tests_properties(read_with_vtk PROPERTIES SKIP_RETURN_CODE 77 FIXTURES_REQUIRED sample)
endif()
