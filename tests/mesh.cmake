# The verification data lies beside the sources; the test skips itself where it does not.
target_compile_definitions(test_mesh_data PRIVATE CARDIAC_DATA="${PROJECT_SOURCE_DIR}/../shared/data")

add_test(NAME mesh_command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/mesh_command.sh $<TARGET_FILE:cardiac>
    ${PROJECT_SOURCE_DIR})
