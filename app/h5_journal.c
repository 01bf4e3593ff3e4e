/* h5_journal.c: the driver's functions as HDF5 calls them (H5FDpublic.h), over POSIX reads and writes. */
#include "app/h5_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* A write that waits for the flush. */
struct piece {
    haddr_t at;
    size_t size;
    unsigned char *data;
};

struct journal {
    H5FD_t base; /* HDF5's own part, first */
    int file, log;
    char *log_path;
    bool write, failed;
    dev_t device;
    ino_t inode;
    haddr_t eoa, eof;  /* end of what HDF5 allocated; end of the file */
    haddr_t committed; /* end of the file at the last flush */
    struct piece *piece;
    int pieces, room;
};

/* Head of a journal; then for each piece its place, size and bytes. */
struct record {
    char magic[16];
    uint64_t bytes; /* that follow */
    uint64_t crc;   /* CRC-32 of them */
    uint64_t end;   /* of the file that they go to */
};

static const char magic[16] = "cardiac journal";

static bool write_at(int file, const void *data, size_t size, haddr_t at)
{
    const unsigned char *from = data;
    while (size > 0) {
        ssize_t done = pwrite(file, from, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done;
        at += (haddr_t)done;
        size -= (size_t)done;
    }
    return true;
}

/* Bytes beyond the end of the file are zero. */
static bool read_at(int file, void *data, size_t size, haddr_t at)
{
    unsigned char *to = data;
    while (size > 0) {
        ssize_t done = pread(file, to, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        if (done == 0) {
            memset(to, 0, size);
            return true;
        }
        to += done;
        at += (haddr_t)done;
        size -= (size_t)done;
    }
    return true;
}

/* HDF5's error stack <- errno, in the words that its own driver uses. */
static herr_t fail(const char *what)
{
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
             "%s failed: errno = %d, error message = '%s'", what, errno, strerror(errno));
    return -1;
}

static void drop_pieces(struct journal *journal)
{
    for (int k = 0; k < journal->pieces; k++)
        free(journal->piece[k].data);
    journal->pieces = 0;
}

/* Keeps a copy; a later write of the same range takes the place of the earlier. */
static bool keep(struct journal *journal, haddr_t at, size_t size, const void *data)
{
    for (int k = journal->pieces - 1; k >= 0; k--) {
        struct piece *piece = &journal->piece[k];
        if (piece->at == at && piece->size == size) {
            memcpy(piece->data, data, size);
            return true;
        }
        if (piece->at < at + size && at < piece->at + piece->size)
            break; /* overlaps otherwise: the order counts */
    }
    if (journal->pieces == journal->room) {
        int room = journal->room ? 2 * journal->room : 64;
        struct piece *more = realloc(journal->piece, (size_t)room * sizeof *more);
        if (!more)
            return false;
        journal->piece = more;
        journal->room = room;
    }
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        return false;
    memcpy(copy, data, size);
    journal->piece[journal->pieces++] = (struct piece){at, size, copy};
    return true;
}

/* The pieces as one record, allocated. */
static unsigned char *pack_record(const struct journal *journal, size_t *size)
{
    struct record head = {.bytes = 0, .end = journal->committed};
    for (int k = 0; k < journal->pieces; k++)
        head.bytes += 16 + journal->piece[k].size;
    unsigned char *all = malloc(sizeof head + head.bytes), *to = all + sizeof head;
    if (!all)
        return NULL;
    for (int k = 0; k < journal->pieces; k++) {
        uint64_t place[2] = {journal->piece[k].at, journal->piece[k].size};
        memcpy(to, place, 16);
        memcpy(to + 16, journal->piece[k].data, journal->piece[k].size);
        to += 16 + journal->piece[k].size;
    }
    memcpy(head.magic, magic, sizeof magic);
    head.crc = crc32_z(0, all + sizeof head, head.bytes);
    memcpy(all, &head, sizeof head);
    *size = sizeof head + head.bytes;
    return all;
}

/* Whether the record belongs to the file: one that was put in its place later is newer than the record. */
static bool is_of_file(const struct stat *log, const struct stat *file, const struct record *head)
{
    return file->st_mtime <= log->st_mtime + 10 && (uint64_t)file->st_size >= head->end;
}

/* The pieces of a record that is whole, if there is one. */
static bool load_record(struct journal *journal, const struct stat *file)
{
    struct record head;
    struct stat info;
    bool good = journal->log >= 0 && !fstat(journal->log, &info) &&
                pread(journal->log, &head, sizeof head, 0) == sizeof head &&
                !memcmp(head.magic, magic, sizeof magic) &&
                head.bytes <= (uint64_t)info.st_size - sizeof head && is_of_file(&info, file, &head);
    unsigned char *all = good ? malloc(head.bytes + 1) : NULL;
    good =
        all && read_at(journal->log, all, head.bytes, sizeof head) && crc32_z(0, all, head.bytes) == head.crc;
    for (uint64_t used = 0; good && used + 16 <= head.bytes;) {
        uint64_t place[2];
        memcpy(place, all + used, 16);
        good = place[1] <= head.bytes - used - 16 && place[0] < INT64_MAX &&
               keep(journal, place[0], place[1], all + used + 16);
        used += 16 + place[1];
    }
    free(all);
    return good;
}

static bool apply(struct journal *journal)
{
    for (int k = 0; k < journal->pieces; k++)
        if (!write_at(journal->file, journal->piece[k].data, journal->piece[k].size, journal->piece[k].at))
            return false;
    drop_pieces(journal);
    return ftruncate(journal->log, 0) == 0;
}

static herr_t commit(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    struct journal *journal = (struct journal *)base;
    size_t size;
    (void)transfer;
    (void)closing;
    if (!journal->write || journal->failed)
        return journal->failed ? -1 : 0;
    if (journal->pieces > 0) {
        unsigned char *all = pack_record(journal, &size);
        bool good = all && write_at(journal->log, all, size, 0) && apply(journal);
        free(all);
        if (!good) {
            journal->failed = true;
            return fail("a write");
        }
    }
    journal->committed = journal->eof;
    return 0;
}

static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    struct journal *journal = (struct journal *)base;
    (void)transfer;
    (void)closing;
    /* Only longer: what is beyond the end that HDF5 knows may still be referred to until the flush. */
    if (journal->eoa > journal->eof) {
        if (ftruncate(journal->file, (off_t)journal->eoa)) {
            journal->failed = true;
            return fail("a write");
        }
        journal->eof = journal->eoa;
    }
    return 0;
}

static H5FD_t *close_all(struct journal *journal)
{
    int error = errno;
    drop_pieces(journal);
    if (journal->file >= 0)
        close(journal->file);
    if (journal->log >= 0)
        close(journal->log);
    free(journal->piece);
    free(journal->log_path);
    free(journal);
    errno = error;
    return NULL;
}

static H5FD_t *open_file(const char *path, unsigned flags, hid_t list, haddr_t most)
{
    struct journal *journal = calloc(1, sizeof *journal);
    struct stat info;
    (void)list;
    (void)most;
    if (!journal)
        return NULL;
    journal->write = flags & H5F_ACC_RDWR;
    journal->file = journal->log = -1;
    journal->log_path = malloc(strlen(path) + sizeof ".journal");
    if (!journal->log_path)
        return close_all(journal);
    sprintf(journal->log_path, "%s.journal", path);
    int create = flags & H5F_ACC_CREAT ? O_CREAT | O_EXCL : 0;
    journal->file = open(path, (journal->write ? O_RDWR : O_RDONLY) | O_CLOEXEC | create, 0666);
    if (journal->file < 0 || fstat(journal->file, &info)) {
        fail("opening");
        return close_all(journal);
    }
    journal->log =
        open(journal->log_path,
             (journal->write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | (create ? O_TRUNC : 0), 0666);
    if (journal->write && journal->log < 0) {
        fail("opening the journal");
        return close_all(journal);
    }
    if (!load_record(journal, &info))
        drop_pieces(journal);
    if (journal->write && !apply(journal)) {
        fail("a write");
        return close_all(journal);
    }
    fstat(journal->file, &info);
    journal->device = info.st_dev;
    journal->inode = info.st_ino;
    journal->eof = journal->committed = (haddr_t)info.st_size;
    return &journal->base;
}

static herr_t close_file(H5FD_t *base)
{
    struct journal *journal = (struct journal *)base;
    if (journal->write && !journal->failed)
        unlink(journal->log_path);
    close_all(journal);
    return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b)
{
    const struct journal *x = (const struct journal *)a, *y = (const struct journal *)b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

static herr_t query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct journal *)base)->eoa;
}

static herr_t set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t at)
{
    (void)type;
    ((struct journal *)base)->eoa = at;
    return 0;
}

static haddr_t get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct journal *)base)->eof;
}

static herr_t get_handle(H5FD_t *base, hid_t list, void **handle)
{
    (void)list;
    *handle = &((struct journal *)base)->file;
    return 0;
}

static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *data)
{
    struct journal *journal = (struct journal *)base;
    unsigned char *to = data;
    (void)type;
    (void)transfer;
    if (!read_at(journal->file, data, size, at))
        return fail("a read");
    for (int k = 0; k < journal->pieces; k++) {
        const struct piece *piece = &journal->piece[k];
        haddr_t first = piece->at > at ? piece->at : at;
        haddr_t end = piece->at + piece->size < at + size ? piece->at + piece->size : at + size;
        if (first < end)
            memcpy(to + (first - at), piece->data + (first - piece->at), end - first);
    }
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                          const void *data)
{
    struct journal *journal = (struct journal *)base;
    const unsigned char *from = data;
    (void)type;
    (void)transfer;
    if (journal->failed)
        return -1;
    size_t old = at >= journal->committed         ? 0
                 : journal->committed - at < size ? (size_t)(journal->committed - at)
                                                  : size;
    bool good = !old || keep(journal, at, old, from);
    good = good && (old == size || write_at(journal->file, from + old, size - old, at + old));
    if (good && at + size > journal->eof)
        journal->eof = at + size;
    journal->failed = !good;
    return good ? 0 : fail("a write");
}

hid_t h5_journal_use(hid_t access)
{
    static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = (H5FD_class_value_t)600,
#endif
        .name = "cardiac-journal",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .open = open_file,
        .close = close_file,
        .cmp = compare,
        .query = query,
        .get_eoa = get_eoa,
        .set_eoa = set_eoa,
        .get_eof = get_eof,
        .get_handle = get_handle,
        .read = read_bytes,
        .write = write_bytes,
        .flush = commit,
        .truncate = truncate_file,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    hid_t id = H5FDregister(&driver);
    if (id >= 0 && H5Pset_driver(access, id, NULL) < 0) {
        H5FDunregister(id);
        return -1;
    }
    return id;
}

static char *journal_path(const char *path)
{
    char *log_path = malloc(strlen(path) + sizeof ".journal");
    if (log_path)
        sprintf(log_path, "%s.journal", path);
    return log_path;
}

bool h5_journal_exists(const char *path)
{
    char *log_path = journal_path(path);
    bool exists = log_path && access(log_path, F_OK) == 0;
    free(log_path);
    return exists;
}

void h5_journal_remove(const char *path)
{
    char *log_path = journal_path(path);
    if (log_path)
        unlink(log_path);
    free(log_path);
}
