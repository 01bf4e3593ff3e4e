/* error.h: the status and the message of a call that fails.
 *
 * Every function below main that can fail returns an enum status and fills a struct error; only main prints
 * it and exits. The numbers of enum status are the program's exit codes, so main needs no table. Programming
 * errors are asserts, never statuses. */
#ifndef CARDIAC_KERNELS_BASE_ERROR_H
#define CARDIAC_KERNELS_BASE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum status {
    STATUS_OK = 0,
    STATUS_DIFFERS = 1,      /* a comparison or a verification failed */
    STATUS_INPUT = 2,        /* the user's input is wrong: config, mesh, arguments, device, memory forecast */
    STATUS_RUN = 3,          /* the run failed: blow-up, not converged, disk full, device lost */
    STATUS_STOPPED = 4,      /* --stop-after reached, checkpoint written; cancelled (cancel.h) */
    STATUS_INTERRUPTED = 128 /* and the number of the signal, checkpoint written */
};

struct error {
    enum status status;
    int system; /* errno of the call of the system that failed, EEXIST of a file in the way; 0 = another cause */
    char text[4096]; /* lines, no newline at the end; truncated text ends in "..." */
};

/* error <- status and printf-style text; returns status, so that a caller may `return error_set(...)`.
 * error may be NULL (the text is dropped). */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same where a call of the system has failed, with errno `reason`: "text: No space left on device" */
enum status error_system(struct error *error, enum status status, int reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same after a position in a file: "file:line:column: text". A line or column of 0 is left out. */
enum status error_at(struct error *error, enum status status, const char *file, int line, int column,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The error of an allocation that failed: what it was for, and its size. */
enum status error_memory(struct error *error, const char *what, double bytes);

/* For the parts of parallel work, from any thread: *status and *error <- those of the part, if it is the first that
 * failed. `of_part` is not NULL. */
void error_first(enum status *status, struct error *error, enum status part, const struct error *of_part);

/* Return the status of a call that fails. For a function with nothing to free at this point. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        enum status tried_ = (call);                                                                         \
        if (tried_)                                                                                          \
            return tried_;                                                                                   \
    } while (0)

/* `status` <- that of the call; jump to the label `done`, where everything is freed, if it failed. */
#define TRY_DONE(call)                                                                                       \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status)                                                                                          \
            goto done;                                                                                       \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
