/* omp_spin.c: a shorter spin of waiting threads. */
#include "app/util/omp_spin.h"

#include <stdlib.h>
#include <unistd.h>

void omp_spin_limit(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || setenv("GOMP_SPINCOUNT", "2000", 0) != 0)
        return;
    execv("/proc/self/exe", argv); /* returns only if there is no such file: then all goes on as it was */
}
