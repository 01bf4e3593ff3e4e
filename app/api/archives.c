/* archives.c: allow a distribution's static HDF5 to be linked into a shared library. It was compiled for programs, so
 * its code contains addresses of libc's variables; the linker replaces them by these (app/api/CMakeLists.txt). */
#include <stdio.h>

extern FILE *__real_stderr, *__real_stdout;
extern FILE *__wrap_stderr, *__wrap_stdout;
FILE *__wrap_stderr, *__wrap_stdout;

static void __attribute__((constructor)) set_streams(void)
{
    __wrap_stderr = __real_stderr;
    __wrap_stdout = __real_stdout;
}
