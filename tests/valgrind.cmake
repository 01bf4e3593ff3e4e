# A run under valgrind, which sees reads of memory that was never written; the sanitizers do not. They exclude each other.
if(NOT CARDIAC_SANITIZE)
    add_test(NAME valgrind COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/valgrind.sh $<TARGET_FILE:cardiac> ${PROJECT_SOURCE_DIR})
    set_tests_properties(valgrind PROPERTIES SKIP_RETURN_CODE 77 LABELS slow)
endif()
