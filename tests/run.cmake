# The program itself, from the command line.
add_test(NAME test_run COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_run.sh $<TARGET_FILE:cardiac>)
