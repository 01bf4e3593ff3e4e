/* seal.h: a text trailer of a checkpoint, with checksums of every byte before it.
 *
 * It is checked with plain reads before HDF5 opens the file, since some kinds of damage crash the library. It
 * lists offset and CRC-32 of each array, so that a damaged one can be named, and the CRC-32 of the whole; its
 * last line covers the trailer itself. */
#ifndef CARDIAC_APP_IO_STORE_SEAL_H
#define CARDIAC_APP_IO_STORE_SEAL_H

#include <stdint.h>

#include "kernels/base/error.h"

struct seal_range {
    char name[64];
    int64_t offset, bytes; /* in the file; 0 bytes = an empty array */
    uint32_t crc;
};

/* Appends the trailer to a closed file and brings the file to the disk. Errors: STATUS_RUN. */
enum status seal_write(const char *path, const struct seal_range *range, int ranges, struct error *error);
/* Errors: STATUS_INPUT: not sealed, or damaged, and where. */
enum status seal_check(const char *path, struct error *error);

#endif
