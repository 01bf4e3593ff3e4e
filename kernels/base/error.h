/* error.h: the status and the message of a call that fails.
 *
 * Every function below main that can fail returns an enum status and fills a struct error; only main
 * prints it and exits. The values of enum status are the program's exit codes, so main needs no table.
 * Programming errors are asserts, never statuses. */
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
    STATUS_INTERRUPTED = 128 /* plus the signal's number; checkpoint written */
};

struct error {
    enum status status;
    int system;      /* errno of the failed system call, EEXIST for a file in the way; 0 = another cause */
    char text[4096]; /* lines, no newline at the end; truncated text ends in "..." */
};

/* error <- status and printf-style text; returns status, so that a caller may `return error_set(...)`.
 * error may be NULL (the text is dropped). */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call with errno `reason`: "text: No space left on device" */
enum status error_system(struct error *error, enum status status, int reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with a position in a file: "file:line:column: text". A line or column of 0 is omitted. */
enum status error_at(struct error *error, enum status status, const char *file, int line, int column,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The error of a failed allocation: what it was for, and its size. */
enum status error_memory(struct error *error, const char *what, double bytes);

/* For parts of parallel work, from any thread: *status and *error <- those of the part, if it is the first
 * that failed. `of_part` must not be NULL. */
void error_first(enum status *status, struct error *error, enum status part, const struct error *of_part);

/* Returns from the calling function with the status of a call that failed. For functions with nothing to
 * free at this point. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        enum status tried_ = (call);                                                                         \
        if (tried_)                                                                                          \
            return tried_;                                                                                   \
    } while (0)

/* status <- the call's; if it failed, jumps to the label `done`, where everything is freed. */
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
