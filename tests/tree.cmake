# What holds for the whole tree: its format, what it speaks of, its documents.
foreach(script format alone docs_names)
    add_test(NAME ${script} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${script}.sh ${PROJECT_SOURCE_DIR})
    set_tests_properties(${script} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
find_package(Python3 COMPONENTS Interpreter)
add_test(NAME docs_examples COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/docs_examples.sh ${PROJECT_SOURCE_DIR}
    $<TARGET_FILE:cardiac> ${Python3_EXECUTABLE})
add_test(NAME docs_commands COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/docs_commands.sh ${PROJECT_SOURCE_DIR}
    $<TARGET_FILE:cardiac>)

# Tables and figures of measured accuracy are what the stored measurements say.
if(Python3_FOUND)
    add_test(NAME docs_accuracy COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/docs/plot_accuracy.py --check)
endif()
