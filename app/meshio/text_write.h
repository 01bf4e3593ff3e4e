/* text_write.h: writing a text file, plain or gzipped; closing it reports any write error. */
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

/* The file stem + extension (+ ".gz"); an existing one is replaced once the new one is whole. */
enum status text_writer_open(struct text_writer *writer, const char *stem, const char *extension,
                             bool gzipped, struct error *error);
void text_writer_text(struct text_writer *writer, const char *text);
/* As printf, but slow: write many rows by the other functions */
void text_writer_print(struct text_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_writer_bytes(struct text_writer *writer, const void *bytes, size_t count);
void text_writer_integer(struct text_writer *writer, int64_t value);
/* The shortest decimals that read back as value[3] 10^shift, between blanks */
void text_writer_vector(struct text_writer *writer, const double *value, int shift);
/* Ends the writing, without a name yet: *file is the caller's to end (own_file_end). */
enum status text_writer_leave(struct text_writer *writer, struct own_file *file, struct error *error);
/* STATUS_RUN if anything could not be written; the old file, if there is one, is then unchanged. */
enum status text_writer_close(struct text_writer *writer, struct error *error);

#endif
