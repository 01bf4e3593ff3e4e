/* archives.c: what HDF5's archive needs to be part of a shared library. The archives of distributions are
 * compiled for programs: the address of a variable of libc would be written into their code. The linker gives
 * them these instead (app/api/CMakeLists.txt). */
#include <stdio.h>

extern FILE *__real_stderr, *__real_stdout;
extern FILE *__wrap_stderr, *__wrap_stdout;
FILE *__wrap_stderr, *__wrap_stdout;

static void __attribute__((constructor)) set_streams(void)
{
    __wrap_stderr = __real_stderr;
    __wrap_stdout = __real_stdout;
}
