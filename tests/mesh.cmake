# The verification data lies beside the sources; the test skips itself where it does not.
target_compile_definitions(test_mesh_data PRIVATE CARDIAC_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
