/* text_write.h: write a text file, plain or gzipped; closing it reports any write error. */
#ifndef CARDIAC_APP_MESHIO_TEXT_WRITE_H
#define CARDIAC_APP_MESHIO_TEXT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/util/own_file.h"
#include "kernels/base/error.h"

struct text_writer {
    struct own_file file;
    void *stream; /* zlib's gzFile */
    char *buffer;
    int used;
    bool failed;
};

/* Opens the file stem + extension (+ ".gz"); an existing file is replaced once the new one is complete. */
enum status text_writer_open(struct text_writer *writer, const char *stem, const char *extension,
                             bool gzipped, struct error *error);
void text_writer_text(struct text_writer *writer, const char *text);
/* Like printf, but slow: use the other functions for many rows */
void text_writer_print(struct text_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_writer_bytes(struct text_writer *writer, const void *bytes, size_t count);
void text_writer_integer(struct text_writer *writer, int64_t value);
/* The shortest decimals that read back as value[3] 10^shift, between blanks */
void text_writer_vector(struct text_writer *writer, const double *value, int shift);
/* Ends writing without renaming the file: the caller calls own_file_end() on *file. */
enum status text_writer_leave(struct text_writer *writer, struct own_file *file, struct error *error);
/* Errors: STATUS_RUN if anything could not be written; an existing file is then unchanged. */
enum status text_writer_close(struct text_writer *writer, struct error *error);

#endif
