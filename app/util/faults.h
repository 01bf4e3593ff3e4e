/* faults.h: all faults of an input in one error, one per line, so that they can be corrected together.
 *
 *   struct faults faults = {.error = error};
 *   FAULTS_TRY(check_this(&faults)); FAULTS_TRY(check_that(&faults));       each fault by faults_add
 *   return status; */
#ifndef CARDIAC_APP_UTIL_FAULTS_H
#define CARDIAC_APP_UTIL_FAULTS_H

#include "kernels/base/error.h"

enum { FAULTS_SHOWN = 20 };

struct faults {
    struct error *error; /* their text: the first of them, and how many more there are */
    int count, shown;
    int bytes; /* of the text that are faults */
};

/* One more fault; returns STATUS_INPUT. */
enum status faults_add(struct faults *faults, const char *fault);

/* TRY after which the next check is made also if this one finds a fault of the input. */
#define FAULTS_TRY(call)                                                                                     \
    do {                                                                                                     \
        if (status == STATUS_OK || status == STATUS_INPUT) {                                                 \
            enum status found = (call);                                                                      \
            status = found ? found : status;                                                                 \
        }                                                                                                    \
    } while (0)

#endif
