# The program itself, from the command line.
add_test(NAME test_run COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_run.sh $<TARGET_FILE:cardiac>)

# The precision budget on a real heart, where that is at hand.
add_test(NAME test_precision_heart COMMAND test_precision
    ${PROJECT_SOURCE_DIR}/../shared/data/meshes/cobiveco_geo1/heart_geo1_464k.node.gz)
set_tests_properties(test_precision_heart PROPERTIES SKIP_RETURN_CODE 77)
