/* format.h: the numbers of the file formats, and what is said of a file that has another one. */
#ifndef CARDIAC_APP_IO_STORE_FORMAT_H
#define CARDIAC_APP_IO_STORE_FORMAT_H

#include "app/io/store/h5.h"

/* Each is raised when a program of before could not read or go on with what is written now. Results before 2
 * have no number: their journals are others. */
enum { FORMAT_RESULT = 2, FORMAT_CHECKPOINT = 1 };

/* The result's number is set, or was; one without is of format 1. */
enum status format_put_result(struct h5_file *file, struct error *error);
/* STATUS_INPUT, with its program and what to do, for a result that is newer than this program; with resume,
 * also for an older one. */
enum status format_check_result(struct h5_file *file, bool resume, struct error *error);
/* The same for a checkpoint, which is always to be gone on with. */
enum status format_check_checkpoint(struct h5_file *file, int64_t format, struct error *error);

#endif
