/* input.h: open every file that a config names, and record it with the SHA-256 of its bytes.
 *
 * The digest covers the bytes that were read, not the file as it is later; HDF5 files, which the library reads, are
 * hashed in a separate pass before. It equals the output of sha256sum. A record (struct inputs) belongs to a config, or
 * to all runs of a study: it is an error if a file has different bytes when opened again (inputs_check). Digests of
 * large files are cached by device, inode, size, mtime and ctime, so that a mesh is not hashed at every start. */
#ifndef CARDIAC_APP_UTIL_INPUT_H
#define CARDIAC_APP_UTIL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "kernels/base/sha256.h"

/* Metadata that change whenever a file is written */
struct input_identity {
    uint64_t of[7]; /* device, inode, size, and seconds and ns of modification and change */
};

struct input_listed {
    char *path;
    char sha256[SHA256_HEX];
    struct input_identity identity;
    bool settled; /* its times were seconds old when it was read, so that any later write changes them */
};

struct inputs {
    struct input_listed *input; /* [count] by path, in the order in which they were read */
    int64_t count, room;
    int owners;
    bool stored;         /* read from a result: its digests are used, and no file is opened */
    const char *changed; /* a file that changed between two readings; NULL = none */
};

/* An empty record with one owner; NULL if out of memory */
struct inputs *inputs_new(void);
/* Adds an owner; every owner calls inputs_free(). NULL is accepted and returned. */
struct inputs *inputs_share(struct inputs *inputs);
void inputs_free(struct inputs *inputs);

/* Parses a record stored as lines "DIGEST  PATH"; NULL if out of memory */
struct inputs *inputs_stored(const char *record);

/* hex <- the digest of the file, which is added to the record. Errors: STATUS_INPUT if it cannot be read. */
enum status inputs_digest(struct inputs *inputs, const char *path, char hex[SHA256_HEX], struct error *error);
/* STATUS_INPUT if a file of the record (NULL = no record) has changed between two readings */
enum status inputs_check(const struct inputs *inputs, struct error *error);

/* An input file; inputs NULL = it is not recorded */
struct input_file {
    const char *path; /* not owned */
    struct inputs *inputs;
    int file;
    bool open, known;  /* known: its digest was found in the record or the cache */
    int64_t disk_size; /* bytes */
    struct input_identity identity;
    bool settled;
    char sha256[SHA256_HEX];
    struct sha256 sha;
};

/* Opens a regular file. Errors: STATUS_INPUT. */
enum status input_open(struct input_file *in, const char *path, struct inputs *inputs, struct error *error);
/* Like read(2), but fills `room` bytes unless the file ends; adds them to the digest */
int64_t input_read(struct input_file *in, void *bytes, size_t room);
/* Reads the rest of the file for its digest, records it and closes it. A zeroed struct is accepted. */
void input_close(struct input_file *in);

/* *text <- [*length + 1] a whole file, which the caller frees. Errors: STATUS_INPUT for a file of more than `most`
 * bytes; `otherwise` completes the message. */
enum status input_text(char **text, size_t *length, const char *path, int most, const char *otherwise,
                       struct inputs *inputs, struct error *error);

#endif
