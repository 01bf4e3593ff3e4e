/* h5_exit.c: keeps HDF5 from installing its exit handler, which would write to files again. Linked into programs
 * only (app/CMakeLists.txt): the process around a library may rely on the handler. */
#include <hdf5.h>

void h5_leave_out_exit_handler(void) __attribute__((constructor));

/* Before main, since the first call of HDF5, even for its version, installs the handler */
void h5_leave_out_exit_handler(void)
{
    H5dont_atexit();
}
