# Configs: where the tests find them, the key reference that must be current, exit statuses of `cardiac check`.
foreach(name test_config test_bad_configs test_config_corpus)
    if(TARGET ${name})
        target_compile_definitions(${name} PRIVATE CARDIAC_SOURCE="${PROJECT_SOURCE_DIR}")
    endif()
endforeach()

target_sources(test_config_corpus PRIVATE fuzz/fuzz_config.c)

add_test(NAME config_keys_are_current
    COMMAND sh -c "$<TARGET_FILE:cardiac> check --keys | diff -u ${PROJECT_SOURCE_DIR}/docs/config.md -")
add_test(NAME command_line COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/command_line.sh $<TARGET_FILE:cardiac>
    ${PROJECT_SOURCE_DIR})
add_test(NAME check_command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/check_command.sh $<TARGET_FILE:cardiac>)
