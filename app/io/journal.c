/* journal.c: the driver's functions as HDF5 calls them (H5FDpublic.h), over POSIX reads and writes. */
#include "app/io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/journal_record.h"

/* What a file knows itself by, in the block at its start that HDF5 leaves to its user. */
struct mark {
    char magic[16];
    unsigned char id[16]; /* random, of who writes: copies that are continued apart are two files */
    uint64_t commit;      /* number of the last */
};

static const char mark_magic[16] = "cardiac result";

struct journal {
    H5FD_t base; /* HDF5's own part, first */
    int file, log;
    char *log_path;
    bool write, failed;
    unsigned char id[16]; /* of this opening */
    struct mark mark;     /* of the last commit; zero in files of older versions, which have none */
    dev_t device;
    ino_t inode;
    haddr_t eoa, eof;  /* end of what HDF5 allocated; end of the file */
    haddr_t committed; /* end of the file at the last flush */
    struct h5_piece *piece;
    int pieces, room;
};

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

static bool add_piece(struct journal *journal, haddr_t at, size_t size, const void *data)
{
    if (journal->pieces == journal->room) {
        int room = journal->room ? 2 * journal->room : 64;
        struct h5_piece *more = realloc(journal->piece, (size_t)room * sizeof *more);
        if (!more)
            return false;
        journal->piece = more;
        journal->room = room;
    }
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        return false;
    memcpy(copy, data, size);
    journal->piece[journal->pieces++] = (struct h5_piece){at, size, copy};
    return true;
}

/* Keeps a copy; a later write of the same range takes the place of the earlier. */
static bool keep(struct journal *journal, haddr_t at, size_t size, const void *data)
{
    for (int k = journal->pieces - 1; k >= 0; k--) {
        struct h5_piece *piece = &journal->piece[k];
        if (piece->at == at && piece->size == size) {
            memcpy(piece->data, data, size);
            return true;
        }
        if (piece->at < at + size && at < piece->at + piece->size)
            break; /* overlaps otherwise: the order counts */
    }
    return add_piece(journal, at, size, data);
}

/* The record -> the file, and struck out */
static bool apply(struct journal *journal, const unsigned char *all)
{
    struct h5_span span;
    uint64_t used = 0;
    while (journal_record_next(all, &used, &span))
        if (!journal_write_at(journal->file, span.data, span.size, span.at))
            return false;
    drop_pieces(journal);
    return ftruncate(journal->log, 0) == 0;
}

/* The record -> pieces, for reading over the file */
static bool lay_over(struct journal *journal, const unsigned char *all)
{
    struct h5_span span;
    uint64_t used = 0;
    while (journal_record_next(all, &used, &span))
        if (!add_piece(journal, span.at, span.size, span.data))
            return false;
    return true;
}

/* Zero if it has none. */
static bool read_mark(int file, struct mark *mark)
{
    if (!journal_read_at(file, mark, sizeof *mark, 0))
        return false;
    if (memcmp(mark->magic, mark_magic, sizeof mark_magic) != 0)
        memset(mark, 0, sizeof *mark);
    return true;
}

/* What was left over goes where it belongs. */
static bool settle(struct journal *journal)
{
    unsigned char *all;
    enum h5_found found = journal_record_find(journal->log, journal->file, &all);
    bool good = found == JOURNAL_FOUND_NONE || found == JOURNAL_FOUND_RECORD;
    if (found == JOURNAL_FOUND_RECORD)
        good = journal->write ? apply(journal, all) : lay_over(journal, all);
    else if (good && journal->write)
        good = ftruncate(journal->log, 0) == 0;
    free(all);
    return good;
}

/* What is new in the file is written, what replaces committed bytes is kept. */
static bool put(struct journal *journal, haddr_t at, size_t size, const void *data)
{
    const unsigned char *from = data;
    size_t old = at >= journal->committed         ? 0
                 : journal->committed - at < size ? (size_t)(journal->committed - at)
                                                  : size;
    bool good = !old || keep(journal, at, old, from);
    good = good && (old == size || journal_write_at(journal->file, from + old, size - old, at + old));
    if (good && at + size > journal->eof)
        journal->eof = at + size;
    return good;
}

static herr_t commit(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    struct journal *journal = (struct journal *)base;
    size_t size;
    bool good = true;
    (void)transfer;
    (void)closing;
    if (!journal->write || journal->failed)
        return journal->failed ? -1 : 0;
    if (journal->mark.magic[0] && (journal->pieces > 0 || journal->committed == 0)) {
        journal->mark.commit++;
        memcpy(journal->mark.id, journal->id, sizeof journal->id);
        good = put(journal, 0, sizeof journal->mark, &journal->mark);
    }
    if (good && journal->pieces > 0) {
        const struct h5_pieces pieces = {journal->file, journal->committed, journal->piece, journal->pieces};
        unsigned char *all = journal_record_pack(&pieces, &size);
        good = all && journal_write_at(journal->log, all, size, 0) && apply(journal, all);
        free(all);
    }
    if (!good) {
        journal->failed = true;
        return fail("a write");
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

static char *journal_path(const char *path)
{
    char *log_path = malloc(strlen(path) + sizeof ".journal");
    if (log_path)
        sprintf(log_path, "%s.journal", path);
    return log_path;
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
    journal->log_path = journal_path(path);
    if (!journal->log_path)
        return close_all(journal);
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
    if (!settle(journal) || !read_mark(journal->file, &journal->mark) ||
        (journal->write && getrandom(journal->id, sizeof journal->id, 0) != sizeof journal->id)) {
        fail("reading its journal");
        return close_all(journal);
    }
    if (create)
        memcpy(journal->mark.magic, mark_magic, sizeof mark_magic);
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
    if (!journal_read_at(journal->file, data, size, at))
        return fail("a read");
    for (int k = 0; k < journal->pieces; k++) {
        const struct h5_piece *piece = &journal->piece[k];
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
    (void)type;
    (void)transfer;
    if (journal->failed)
        return -1;
    journal->failed = !put(journal, at, size, data);
    return journal->failed ? fail("a write") : 0;
}

hid_t journal_use(hid_t access)
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

bool journal_exists(const char *path)
{
    char *log_path = journal_path(path);
    bool exists = log_path && access(log_path, F_OK) == 0;
    free(log_path);
    return exists;
}

void journal_remove(const char *path)
{
    char *log_path = journal_path(path);
    if (log_path)
        unlink(log_path);
    free(log_path);
}

enum status journal_check(const char *path, struct error *error)
{
    char *log_path = journal_path(path);
    unsigned char *all = NULL;
    if (!log_path)
        return error_memory(error, "a file name", (double)strlen(path));
    struct stat info;
    if (stat(log_path, &info) == 0 && !S_ISREG(info.st_mode)) {
        enum status refused = error_set(error, STATUS_INPUT, "%s is no file, and no journal", log_path);
        free(log_path);
        return refused;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC), log = open(log_path, O_RDONLY | O_CLOEXEC);
    enum h5_found found = file < 0                     ? JOURNAL_FOUND_NONE
                          : log < 0 && errno != ENOENT ? JOURNAL_FOUND_UNREADABLE
                                                       : journal_record_find(log, file, &all);
    enum status status = STATUS_OK;
    if (found == JOURNAL_FOUND_FOREIGN)
        status =
            error_set(error, STATUS_INPUT,
                      "%s holds the end of an update of another file than %s, or of another copy of it: put "
                      "that one back, or remove the journal to go on with this one",
                      log_path, path);
    if (found == JOURNAL_FOUND_UNNAMED)
        status = error_set(
            error, STATUS_INPUT,
            "%s was left by an older version, which did not note the file that it belongs to: go on "
            "with that version, or remove the journal to go on without this update",
            log_path);
    if (found == JOURNAL_FOUND_UNREADABLE)
        status = error_set(error, STATUS_INPUT, "%s: cannot be read: %s", log_path, strerror(errno));
    free(all);
    free(log_path);
    if (file >= 0)
        close(file);
    if (log >= 0)
        close(log);
    return status;
}
