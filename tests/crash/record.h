/* record.h: what interpose.c writes down: one head a call, behind it its data (bytes, or a path), behind that
 * a second path. */
#ifndef CARDIAC_TESTS_CRASH_RECORD_H
#define CARDIAC_TESTS_CRASH_RECORD_H

#include <stdint.h>

enum record_kind {
    RECORD_CREATE, /* path: a file with that inode */
    RECORD_WRITE,
    RECORD_LENGTH, /* at: the new length */
    RECORD_SYNC,   /* of a file, or of the folder, whose inode no file has */
    RECORD_RENAME, /* path, to */
    RECORD_UNLINK  /* path */
};

struct record {
    uint32_t kind, to; /* bytes of the second path */
    uint64_t file;     /* inode */
    int64_t at;
    uint64_t size; /* bytes that follow */
    double time;   /* s */
};

#endif
