/* seal.c: writing and checking the trailer:
 *
 *   array <offset> <bytes> <crc> <name>     for each array
 *   file <bytes> <crc>                      the HDF5 part
 *   cardiac-seal-1 <bytes of the lines above> <crc of them>     this line has SEAL_LINE bytes */
#include "app/io/store/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "kernels/base/printed.h"

enum { SEAL_LINE = 15 + 10 + 1 + 8 + 1, BLOCK = 1 << 20, LONGEST_TRAILER = 1 << 24 };

/* *crc <- of `bytes` bytes from `offset` on; false if they cannot be read */
static int range_crc(int file, int64_t offset, int64_t bytes, uint32_t *crc)
{
    const size_t most = bytes < BLOCK ? (size_t)bytes : BLOCK; /* gaps between arrays are small */
    unsigned char *buffer = bytes >= 0 ? malloc(most + 1) : NULL;
    uLong sum = 0;
    int good = buffer != NULL && offset >= 0;
    while (good && bytes > 0) {
        ssize_t got = pread(file, buffer, (size_t)bytes < most ? (size_t)bytes : most, offset);
        good = got > 0;
        if (good) {
            sum = crc32_z(sum, buffer, (size_t)got);
            offset += got;
            bytes -= got;
        }
    }
    free(buffer);
    *crc = (uint32_t)sum;
    return good;
}

/* *crc <- of the first `bytes` bytes. Only the gaps between arrays are read; the CRCs of the arrays, computed
 * before they were written, are combined with theirs: reading arrays would cost as much as writing them. */
static int file_crc(int file, int64_t bytes, const struct seal_range *range, int ranges, uint32_t *crc)
{
    int64_t at = 0;
    uint32_t between;
    uLong sum = 0;
    for (int k = 0; k < ranges; k++) {
        if (range[k].bytes == 0 || range[k].offset < at)
            continue;
        if (!range_crc(file, at, range[k].offset - at, &between))
            return 0;
        sum = crc32_combine(sum, between, range[k].offset - at);
        sum = crc32_combine(sum, range[k].crc, range[k].bytes);
        at = range[k].offset + range[k].bytes;
    }
    int good = range_crc(file, at, bytes - at, &between);
    *crc = (uint32_t)crc32_combine(sum, between, bytes - at);
    return good;
}

static int write_all(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, text, bytes);
        if (done < 0)
            return 0;
        text += done;
        bytes -= (size_t)done;
    }
    return 1;
}

static char *make_trailer(int file, int64_t bytes, const struct seal_range *range, int ranges)
{
    struct printed seal;
    uint32_t crc;
    if (!file_crc(file, bytes, range, ranges, &crc) || printed_open(&seal, NULL))
        return NULL;
    for (int k = 0; k < ranges; k++)
        fprintf(seal.file, "array %" PRId64 " %" PRId64 " %08" PRIx32 " %s\n", range[k].offset,
                range[k].bytes, range[k].crc, range[k].name);
    fprintf(seal.file, "file %" PRId64 " %08" PRIx32 "\n", bytes, crc);
    if (fflush(seal.file) == 0)
        fprintf(seal.file, "cardiac-seal-1 %010zu %08lx\n", seal.length,
                crc32_z(0, (unsigned char *)seal.text, seal.length));
    printed_close(&seal, NULL);
    return seal.text;
}

enum status seal_write(const char *path, const struct seal_range *range, int ranges, struct error *error)
{
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    off_t end = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    char *text = end < 0 ? NULL : make_trailer(file, end, range, ranges);
    int good = text && write_all(file, text, strlen(text)) && fsync(file) == 0;
    enum status status =
        good ? STATUS_OK : error_system(error, STATUS_RUN, errno, "%s: cannot be written", path);
    free(text);
    if (file >= 0)
        close(file);
    return status;
}

/* The lines of the trailer, allocated, or NULL if it is not there or damaged; *start <- where it begins. */
static char *read_trailer(int file, int64_t *start)
{
    char line[SEAL_LINE + 1] = "", again[SEAL_LINE + 16];
    int64_t end = lseek(file, 0, SEEK_END);
    size_t bytes = 0;
    uint32_t crc = 0, found = 0;
    if (end < SEAL_LINE || pread(file, line, SEAL_LINE, end - SEAL_LINE) != SEAL_LINE ||
        sscanf(line, "cardiac-seal-1 %10zu %8" SCNx32, &bytes, &crc) != 2 || bytes > LONGEST_TRAILER)
        return NULL;
    snprintf(again, sizeof again, "cardiac-seal-1 %010zu %08" PRIx32 "\n", bytes, crc);
    *start = end - SEAL_LINE - (int64_t)bytes;
    if (strcmp(line, again) || *start < 0 || !range_crc(file, *start, (int64_t)bytes, &found) || found != crc)
        return NULL;
    char *text = malloc(bytes + 1);
    if (text && pread(file, text, bytes, *start) != (ssize_t)bytes) {
        free(text);
        return NULL;
    }
    if (text)
        text[bytes] = '\0';
    return text;
}

/* Names the array whose CRC differs from the list. */
static enum status name_damage(int file, const char *path, const char *text, struct error *error)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        struct seal_range range;
        uint32_t crc;
        if (sscanf(line, "array %" SCNd64 " %" SCNd64 " %8" SCNx32 " %63[^\n]", &range.offset, &range.bytes,
                   &range.crc, range.name) == 4 &&
            (!range_crc(file, range.offset, range.bytes, &crc) || crc != range.crc))
            return error_set(error, STATUS_INPUT, "%s: damaged: the values of %s have changed", path,
                             range.name);
    }
    return error_set(error, STATUS_INPUT, "%s: damaged", path);
}

enum status seal_check(const char *path, struct error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set(error, STATUS_INPUT, "%s: %s", path, strerror(errno));
    int64_t start = 0, bytes = -1;
    uint32_t crc = 0, found = 0;
    enum status status = STATUS_OK;
    char *text = read_trailer(file, &start);
    const char *line = text ? strstr(text, "file ") : NULL;
    while (line && line != text && line[-1] != '\n') /* skip it within an array's name */
        line = strstr(line + 1, "file ");
    if (!line || sscanf(line, "file %" SCNd64 " %8" SCNx32, &bytes, &crc) != 2 || bytes != start)
        status =
            error_set(error, STATUS_INPUT, "%s: not a checkpoint, or cut short or damaged at its end", path);
    else if (!range_crc(file, 0, bytes, &found) || found != crc)
        status = name_damage(file, path, text, error);
    free(text);
    close(file);
    return status;
}
