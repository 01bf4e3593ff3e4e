/* omp_spin.h: threads that wait for each other soon sleep instead of spinning. */
#ifndef CARDIAC_APP_UTIL_OMP_SPIN_H
#define CARDIAC_APP_UTIL_OMP_SPIN_H

/* GNU OpenMP spins for up to some 300,000 rounds at every barrier. When another program takes one of the
 * cores, each of a step's barriers then costs milliseconds (measured: a step ten times as long), while a
 * short spin costs nothing on a quiet machine. The library reads its environment when it is loaded, so the
 * program sets it and starts itself once more, in the same process. Whoever sets OMP_WAIT_POLICY or
 * GOMP_SPINCOUNT keeps what they chose. */
void omp_spin_limit(char **argv);

#endif
