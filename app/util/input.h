/* input.h: the one door in: every file that a config names is opened here and listed by the SHA-256 of its bytes.
 *
 * The digest is of the bytes that were read, not of the path afterwards; of HDF5, which reads by itself, of a pass before
 * it. It is what sha256sum prints. A list belongs to a config, or to all runs of a study: a file that has other bytes
 * when it is opened again is an error there (inputs_check). Digests of large files are cached by device, inode, size
 * and times of modification and change, so that a mesh is not hashed at each start. */
#ifndef CARDIAC_APP_UTIL_INPUT_H
#define CARDIAC_APP_UTIL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "kernels/base/sha256.h"

/* What stays the same as long as nobody writes to a file */
struct input_identity {
    uint64_t of[7]; /* device, inode, size, and seconds and ns of modification and change */
};

struct input_listed {
    char *path;
    char sha256[SHA256_HEX];
    struct input_identity identity;
    bool settled; /* its times were seconds old when it was read: later writes change them */
};

struct inputs {
    struct input_listed *input; /* [count] by path, in the order in which they were read */
    int64_t count, room;
    int owners;
    bool stored;         /* of a result: what it lists counts, and no file is opened */
    const char *changed; /* the path of one that has two contents; NULL = none */
};

/* An empty list of one owner; NULL without memory */
struct inputs *inputs_new(void);
/* One more owner, who calls inputs_free(), too; NULL stays NULL */
struct inputs *inputs_share(struct inputs *inputs);
void inputs_free(struct inputs *inputs);

/* The list of a stored record, lines "DIGEST  PATH"; NULL without memory */
struct inputs *inputs_stored(const char *record);

/* hex <- the digest of the file, which joins the list. Errors: STATUS_INPUT where it cannot be read. */
enum status inputs_digest(struct inputs *inputs, const char *path, char hex[SHA256_HEX], struct error *error);
/* STATUS_INPUT where a file of the list (NULL = none) has changed between two readings */
enum status inputs_check(const struct inputs *inputs, struct error *error);

/* A file that is read; inputs NULL = it joins no list */
struct input_file {
    const char *path; /* not owned */
    struct inputs *inputs;
    int file;
    bool open, known;  /* known: its digest need not be computed */
    int64_t disk_size; /* bytes */
    struct input_identity identity;
    bool settled;
    char sha256[SHA256_HEX];
    struct sha256 sha;
};

/* Opens a regular file. Errors: STATUS_INPUT. */
enum status input_open(struct input_file *in, const char *path, struct inputs *inputs, struct error *error);
/* As read(2), and as much as there is room for unless the file ends; the caller's bytes are those of the digest */
int64_t input_read(struct input_file *in, void *bytes, size_t room);
/* Reads what is left of the file for its digest, and closes it. A zeroed one is accepted. */
void input_close(struct input_file *in);

/* text[*length + 1] <- all of a file. STATUS_INPUT for one of more than `most` bytes: `otherwise` says what it is not.
 * *text is to be freed. */
enum status input_text(char **text, size_t *length, const char *path, int most, const char *otherwise,
                       struct inputs *inputs, struct error *error);

#endif
