/* h5.h: the few HDF5 operations that results, checkpoints and their readers share.
 *
 * HDF5 prints nothing: its error stack becomes one line with the file, the object and the system's reason
 * (disk full, no permission). Files that are read are untrusted: links out of the file are not followed, an
 * array is opened only with the type and rank that its reader expects, and one that claims more than 1000
 * times what it stores is refused before memory is allocated. Only one thread makes these calls. */
#ifndef CARDIAC_APP_IO_STORE_H5_H
#define CARDIAC_APP_IO_STORE_H5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"

struct h5_file {
    hid_t id;
    char *path;
    double bytes; /* size on disk when it was opened */
    hid_t driver; /* the driver of journal.h; 0 = HDF5's own */
    bool broken;  /* a write failed: nothing more is written, not even on closing */
};

/* Settings of the process that opening a file changes: whether errors are printed (per thread if HDF5 is
 * thread-safe) and whether plugins are loaded. Only the library restores them. */
struct h5_settings {
    unsigned plugins;
    H5E_auto2_t print;
    void *argument;
};
void h5_save_settings(struct h5_settings *settings);
void h5_restore_settings(const struct h5_settings *settings);

/* error <- "path: what: reason" from HDF5's stack; returns status. A failed write (STATUS_RUN) breaks the
 * file. */
enum status h5_error(struct h5_file *file, enum status status, struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Creates a file, without file locking. journaled: a flush is all or nothing (journal.h), and the file must not exist;
 * otherwise an empty file, created by own_file_begin(), may exist. */
enum status h5_create(struct h5_file *file, const char *path, bool journaled, struct error *error);
/* Opens a file, journaled if `write`; a run that still writes the file does not block a reader. Errors:
 * STATUS_INPUT. */
enum status h5_open(struct h5_file *file, const char *path, bool write, struct error *error);
enum status h5_flush(struct h5_file *file, struct error *error);
/* Flushes and syncs everything to disk (journal.h); only for a journaled file open for writing */
enum status h5_sync(struct h5_file *file, struct error *error);
/* Renames a journaled file open for writing; replaces an existing file. Errors: STATUS_RUN. */
enum status h5_rename(struct h5_file *file, const char *to, struct error *error);
/* Closes the file and zeroes the struct; a broken file keeps the state of its last flush. A zeroed struct is accepted. */
enum status h5_close(struct h5_file *file, struct error *error);

/* The space of a contiguous dataset, written by h5_fill() */
struct h5_space {
    void *file;     /* for journal.h */
    int64_t offset; /* in the file */
};
/* Creates a dataset of `count` > 0 values without writing them; only in a file that is not journaled. */
enum status h5_reserve(struct h5_file *file, const char *name, hid_t type, int64_t count,
                       struct h5_space *space, struct error *error);
/* Writes bytes at offset `at` of the space; several threads may call it at once. False with errno: the caller must
 * then mark the file as broken. */
bool h5_fill(const struct h5_space *space, int64_t at, size_t size, const void *bytes);
/* Call after all `size` bytes are written: starts writing them to disk, so that closing the file takes less time. */
void h5_filled(const struct h5_space *space, int64_t size);

/* Creates the dataset `name`, and its groups, with all its values. deflate: 1 .. 9 = shuffled and deflated chunks, 0 =
 * contiguous. value NULL: all values are `fill` (NULL = zero). */
enum status h5_put(struct h5_file *file, const char *name, hid_t type, int rank, const hsize_t *dim,
                   const void *value, const void *fill, int deflate, struct error *error);
/* The same in shuffled and deflated chunks, block by block. stored: the type in the file; type: in memory, the same, or one is
 * double and the other float, or int32 and int64. All threads call make(), which sets value <- rows first .. first + count - 1 along
 * dim[0], both multiples of rows_at_once. */
typedef void (*h5_rows_maker)(const void *context, int64_t first, int64_t count, void *value);
/* Receives all rows in order, block by block; one thread calls it while others pack the block. */
typedef void (*h5_rows_viewer)(const void *context, int64_t count, const void *value);
/* view may be NULL */
enum status h5_put_made(struct h5_file *file, const char *name, hid_t stored, hid_t type, int rank,
                        const hsize_t *dim, h5_rows_maker make, h5_rows_viewer view, const void *context,
                        int64_t rows_at_once, struct error *error);
/* packed[k * h5_pack_bound(chunk)] <- chunk k of bytes[chunks * chunk], values of `width` bytes, shuffled and deflated
 * like HDF5's filters; size[k] <- its bytes, 0 if out of memory. Every thread of a parallel region must call it; the
 * chunks are divided among them. */
void h5_pack(unsigned char *packed, size_t *size, const void *bytes, int64_t chunks, size_t chunk,
             size_t width, int deflate_level);
/* The same for one chunk; returns its bytes. */
size_t h5_pack_chunk(unsigned char *packed, const void *bytes, size_t chunk, size_t width, int deflate_level);
/* The largest size of a deflated chunk of `bytes` bytes */
size_t h5_pack_bound(size_t bytes);
enum status h5_put_text(struct h5_file *file, const char *name, const char *text, struct error *error);
/* Overwrites a whole existing dataset. */
enum status h5_rewrite(struct h5_file *file, const char *name, hid_t type, const void *value,
                       struct error *error);
/* Creates an empty dataset that grows, in chunks of `chunk` rows of `width` values (0 = rank 1). Like all
 * datasets created between h5_growing(file, true) and (file, false), it is indexed by an extensible array, in
 * which the address of a chunk never moves; the nodes of a B-tree would move while a reader uses them. */
void h5_growing(const struct h5_file *file, bool on);
enum status h5_put_growing(struct h5_file *file, const char *name, hid_t type, hsize_t chunk, hsize_t width,
                           struct error *error);

/* Row `row` of an open growing dataset of doubles <- value[width, or 1]; a new row is appended. */
enum status h5_set_row(struct h5_file *file, hid_t data, int64_t row, int64_t width, const double *value,
                       struct error *error);
int64_t h5_rows(hid_t data);
enum status h5_set_rows(struct h5_file *file, hid_t data, int64_t rows, int64_t width, struct error *error);

/* Whether a type is an integer of 1 to 8 bytes or an IEEE number of 4 or 8, in either byte order; with
 * another precision or offset HDF5 reads beyond its buffers. */
bool h5_is_number(hid_t type);
bool h5_exists(const struct h5_file *file, const char *name);
enum status h5_group(struct h5_file *file, const char *name, struct error *error);
/* An anonymous group, < 0 on failure; then `name` <- the group, by one link. The old group stays in the file
 * for readers that still use it. */
hid_t h5_new_group(const struct h5_file *file);
enum status h5_replace_group(struct h5_file *file, const char *name, hid_t group, struct error *error);

/* Sets or replaces an attribute of the object `name`. */
enum status h5_set_text(struct h5_file *file, const char *name, const char *attribute, const char *text,
                        struct error *error);
enum status h5_set_number(struct h5_file *file, const char *name, const char *attribute, double value,
                          struct error *error);
enum status h5_set_integer(struct h5_file *file, const char *name, const char *attribute, int64_t value,
                           struct error *error);
/* Reads an attribute; false if it is missing or has another type. A long text is truncated. */
bool h5_get_text(const struct h5_file *file, const char *name, const char *attribute, char *text,
                 size_t room);
bool h5_get_number(const struct h5_file *file, const char *name, const char *attribute, double *value);
bool h5_get_integer(const struct h5_file *file, const char *name, const char *attribute, int64_t *value);

/* An open array of numbers. */
struct h5_array {
    hid_t id;
    bool real; /* floating point, else integer */
    size_t size;
    int rank;
    hsize_t dim[3];
    int64_t values; /* product of dim */
};

/* Opens dataset `name` for reading: numbers of 1 to 8 bytes, 1 to 3 dimensions (rank 0 = any), stored in this
 * file. Errors: STATUS_INPUT. */
enum status h5_array_open_any(struct h5_array *array, struct h5_file *file, const char *name, int rank,
                              struct error *error);
/* The same for reals, or for integers */
enum status h5_array_open(struct h5_array *array, struct h5_file *file, const char *name, bool real, int rank,
                          struct error *error);
/* value[values] <- the whole array, converted to `type`. */
enum status h5_array_read(const struct h5_array *array, struct h5_file *file, const char *name, hid_t type,
                          void *value, struct error *error);
/* value[] <- rows first .. first + count - 1 */
enum status h5_array_slice(const struct h5_array *array, struct h5_file *file, const char *name, hid_t type,
                           int64_t first, int64_t count, void *value, struct error *error);
/* The number of rows to read at once: whole chunks, about 100,000 values */
int64_t h5_array_piece(const struct h5_array *array);
void h5_array_close(struct h5_array *array);
/* h5_array_slice() in parallel, for deflated chunks of whole rows, if `first` begins a chunk; false if the array cannot
 * be read this way: value[] is then undefined. */
bool h5_chunks_read(const struct h5_array *array, hid_t type, int64_t first, int64_t count, void *value);

/* text <- a string dataset, allocated, NUL-terminated, at most 16 MiB. */
enum status h5_read_text(struct h5_file *file, const char *name, char **text, struct error *error);

/* Checks that the sizes and addresses in a file's structure lie within it; HDF5 below 1.14.4 does not (h5_check.c).
 * Errors: STATUS_INPUT. */
enum status h5_check_structure(const char *path, struct error *error);

/* Closes an id of any kind; < 0 is accepted. */
void h5_release(hid_t id);

/* Calls visit for each member of a group in the order of names; stops at the first error. */
typedef enum status (*h5_visitor)(void *context, const char *name, struct error *error);
enum status h5_each(struct h5_file *file, const char *group, h5_visitor visit, void *context,
                    struct error *error);

/* Numbers of the file formats, raised when earlier programs cannot read or continue the files. Results before
 * format 2 have no number; their journals differ. */
enum { H5_FORMAT_RESULT = 2, H5_FORMAT_CHECKPOINT = 1 };

/* STATUS_INPUT, with the program that wrote it and the remedy, if the result's format is newer; with resume,
 * also if it is older */
enum status h5_check_result(struct h5_file *file, bool resume, struct error *error);
/* The same for a checkpoint, which must have this program's format. */
enum status h5_check_checkpoint(struct h5_file *file, int64_t format, struct error *error);

#endif
