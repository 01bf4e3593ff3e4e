/* waiting.c: threads that wait for each other soon sleep instead of spinning.
 *
 * GNU OpenMP spins for up to some 300,000 rounds at every barrier. When another program takes one of the
 * cores, each of a step's barriers then costs milliseconds (measured: a step 15 times as long), while a short
 * spin costs nothing on a quiet machine. The library reads its environment when it is loaded, before main, so
 * the default is set earlier still; whoever sets OMP_WAIT_POLICY or GOMP_SPINCOUNT keeps what they chose. */
#include <stdlib.h>

static void spin_briefly(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv, (void)environment;
    if (!getenv("OMP_WAIT_POLICY"))
        setenv("GOMP_SPINCOUNT", "500", 0);
}

#ifdef __GLIBC__
__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(int, char **, char **) = spin_briefly;
#endif
