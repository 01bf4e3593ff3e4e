# The timing of the ionic models: built with the tests, run by hand.
add_executable(bench_ionic ${CMAKE_CURRENT_SOURCE_DIR}/bench_ionic.c)
target_link_libraries(bench_ionic PRIVATE kernels)
