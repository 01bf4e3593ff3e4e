# Where a run may go on or start from.
add_test(NAME test_resume COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_resume.sh $<TARGET_FILE:cardiac>)
