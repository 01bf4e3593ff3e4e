/* fuzz_vtk.c: arbitrary bytes as a mesh of this format; see mesh_input.h. */
#include "tests/fuzz/mesh_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const extension[PROFILE_FILES] = {".vtk"};
    return try_input(extension, data, size);
}
