# `cardiac verify` at small sizes, one test per problem, and again with an error planted that it must catch. One
# thread each: the meshes are small, and tests run side by side.
foreach(problem stimulus cell nodal-fibers constant uniform conservation eigenmode exact front splitting niederer)
    add_test(NAME verify_${problem} COMMAND cardiac verify ${problem} --quick --threads 1 --device cpu)
    add_test(NAME verify_${problem}_inject COMMAND cardiac verify ${problem} --quick --inject --threads 1 --device cpu)
endforeach()
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
    add_test(NAME verify_exact_line COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/verify_exact.py $<TARGET_FILE:cardiac>)
endif()
