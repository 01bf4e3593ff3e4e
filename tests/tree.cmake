# What holds for the whole tree: its format, what it speaks of, its documents.
foreach(script format alone docs_names)
    add_test(NAME ${script} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${script}.sh ${PROJECT_SOURCE_DIR})
    set_tests_properties(${script} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
add_test(NAME docs_commands COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/docs_commands.sh ${PROJECT_SOURCE_DIR}
    $<TARGET_FILE:cardiac>)
