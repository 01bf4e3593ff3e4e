/* h5_exit.c: programs of this project do not let HDF5 install its exit handler, which would write to files
 * again. Linked into programs only (app/CMakeLists.txt): in a library the process may rely on it. */
#include <hdf5.h>

void h5_leave_out_exit_handler(void) __attribute__((constructor));

/* Before main, since whoever calls HDF5 first (for its version, say) would have the handler installed */
void h5_leave_out_exit_handler(void)
{
    H5dont_atexit();
}
