/* faults.h: collect all faults of an input in one error, one per line, so that they can be corrected together.
 *
 *   struct faults faults = {.error = error};
 *   FAULTS_TRY(check_this(&faults)); FAULTS_TRY(check_that(&faults));       these call faults_add for each fault
 *   return status; */
#ifndef CARDIAC_APP_UTIL_FAULTS_H
#define CARDIAC_APP_UTIL_FAULTS_H

#include "kernels/base/error.h"

enum { FAULTS_SHOWN = 20 };

struct faults {
    struct error *error; /* its text: the first FAULTS_SHOWN faults, and the number of the others */
    int count, shown;
    int bytes; /* length of the faults in that text */
};

/* Adds a fault; returns STATUS_INPUT. */
enum status faults_add(struct faults *faults, const char *fault);

/* Like TRY, but a fault of the input (STATUS_INPUT) does not end the function: the next check follows. */
#define FAULTS_TRY(call)                                                                                     \
    do {                                                                                                     \
        if (status == STATUS_OK || status == STATUS_INPUT) {                                                 \
            enum status found = (call);                                                                      \
            status = found ? found : status;                                                                 \
        }                                                                                                    \
    } while (0)

#endif
