# The layers app -> solver -> kernels, and proof that the test of them bites.
foreach(script layers layers_bite rooms)
    add_test(NAME ${script} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${script}.sh ${PROJECT_SOURCE_DIR})
endforeach()

# All headers of a layer in one unit: what they export has one owner, and each stands on its own feet. Left out is what is read
# once for every model or type (kernels/models, ionic/formulas.h) and bodies of the bench's loops.
foreach(layer app solver kernels)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${layer}/*.h)
    list(FILTER headers EXCLUDE REGEX "^kernels/models/|formulas[.]h$|^kernels/bench/(csr_row|terms)[.]h$")
    list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
    list(JOIN headers "\n" headers)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers_${layer}.c CONTENT "${headers}\n")
    add_library(headers_${layer} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers_${layer}.c)
    target_link_libraries(headers_${layer} PRIVATE app)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_options(headers_${layer} PRIVATE -aux-info ${CMAKE_CURRENT_BINARY_DIR}/headers_${layer}.txt)
    endif()
    list(APPEND prototypes ${CMAKE_CURRENT_BINARY_DIR}/headers_${layer}.txt)
endforeach()
add_test(NAME names COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/names.sh ${PROJECT_SOURCE_DIR} ${prototypes})
set_tests_properties(names PROPERTIES SKIP_RETURN_CODE 77)

file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/objects
    CONTENT "$<JOIN:$<TARGET_OBJECTS:app>;$<TARGET_OBJECTS:solver>;$<TARGET_OBJECTS:kernels>,\n>\n")
add_test(NAME circles COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/circles.sh ${CMAKE_CURRENT_BINARY_DIR}/objects)
set_tests_properties(circles PROPERTIES SKIP_RETURN_CODE 77)
