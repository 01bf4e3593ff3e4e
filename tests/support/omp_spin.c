/* omp_spin.c: part of every test program: its threads wait for each other as those of the program do. */
#include "app/util/omp_spin.h"

__attribute__((constructor)) static void shorten(int argc, char **argv)
{
    (void)argc;
    omp_spin_limit(argv);
}
