/* omp_spin.c: make threads that wait at a barrier sleep after a short spin.
 *
 * GNU OpenMP spins for up to some 300,000 rounds at every barrier. When another program uses one of the
 * cores, each barrier of a step then costs milliseconds (measured: a step ten times as long); a short spin
 * costs nothing on a quiet machine. Constructors with a priority run before the library's own, which reads
 * the environment, if the library is linked as an archive. */
#include <stdlib.h>

void omp_spin_limit(void) __attribute__((constructor(101)));

void omp_spin_limit(void)
{
    if (!getenv("OMP_WAIT_POLICY"))
        setenv("GOMP_SPINCOUNT", "2000", 0); /* unless the user has chosen one */
}
