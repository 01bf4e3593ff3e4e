/* check.h: the assertions of every test. A test prints its first wrong value and ends with status 1. */
#ifndef CARDIAC_TESTS_CHECK_H
#define CARDIAC_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                  \
            fprintf(stderr, __VA_ARGS__);                                                                    \
            fprintf(stderr, "\n");                                                                           \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* |got - want| <= tolerance (1 + |want|) */
#define CHECK_CLOSE(got, want, tolerance)                                                                    \
    CHECK(fabs((got) - (want)) <= (tolerance) * (1 + fabs(want)), "got %.17g, want %.17g", (double)(got),    \
          (double)(want))

#define CHECK_OK(call, error)                                                                                \
    do {                                                                                                     \
        if ((call) != STATUS_OK) {                                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, (error).text);                     \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

#endif
