add_test(NAME cell_command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cell_command.sh $<TARGET_FILE:cardiac>)
