/* journal.c: implements HDF5's driver interface (H5FDpublic.h) with POSIX reads and writes. */
#include "app/io/store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "app/io/store/journal_record.h"
#include "app/util/own_file.h"

enum { BLOCK = JOURNAL_BLOCKS_SIZE, MOST_WAITING = (64 << 20) / BLOCK };

static const char mark_magic[16] = "cardiac result";

struct journal {
    H5FD_t base; /* HDF5's own part, first */
    int file, log;
    char *log_path;
    bool write;
    bool plain;                 /* no journal: a new file, written in place */
    int failed;                 /* errno of the first write that failed, 0 = none */
    bool given_up;              /* writes do nothing and report success to HDF5 */
    unsigned char id[16];       /* of this opening */
    struct journal_mark mark;   /* of the last commit */
    struct journal_mark from;   /* of the file on the disk */
    uint64_t settled;           /* bytes of the file on the disk */
    uint64_t logged;            /* bytes of the journal */
    haddr_t eoa, eof;           /* end of what HDF5 allocated; end of the file */
    haddr_t committed;          /* end of the file at the last flush */
    haddr_t hurried;            /* end of the bytes whose writing to disk was started before a sync */
    bool fresh;                 /* something was written since */
    struct journal_blocks wait; /* blocks that will replace those of the file */
    dev_t device;
    ino_t inode;
};

/* Pushes errno to HDF5's error stack, worded as by HDF5's own driver, for h5_error() to find. */
static herr_t push_error(const char *what)
{
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
             "%s failed: errno = %d, error message = '%s'", what, errno, strerror(errno));
    return -1;
}

/* Fails a later write, without trying it, for the reason of the first failure. */
static herr_t fail_again(const struct journal *journal)
{
    errno = journal->failed;
    return push_error("a write");
}

static herr_t fail_write(struct journal *journal)
{
    journal->failed = errno ? errno : EIO;
    return fail_again(journal);
}

static uint64_t whole_blocks(uint64_t size)
{
    return (size + BLOCK - 1) / BLOCK;
}

/* Holds back the bytes of one block unless they are unchanged (HDF5 writes whole chunks); notes the CRC of what
 * they replace. */
static bool keep_in_block(struct journal *journal, haddr_t at, size_t size, const void *data)
{
    uint64_t number = at / BLOCK;
    unsigned char now[BLOCK];
    struct journal_block *block = journal_blocks_find(&journal->wait, number);
    if (!block && !journal_record_read_at(journal->file, now, BLOCK, number * BLOCK))
        return false;
    if (at + size <= journal->committed && !memcmp((block ? block->data : now) + at % BLOCK, data, size))
        return true;
    if (!block) {
        block = journal_blocks_add(&journal->wait, number);
        if (!block)
            return false;
        memcpy(block->data, now, BLOCK);
        block->before = (uint32_t)crc32_z(0, now, BLOCK);
    }
    memcpy(block->data + at % BLOCK, data, size);
    block->fresh = true;
    return true;
}

/* Starts writing new space to disk, so that a sync takes less time. */
static void hurry(struct journal *journal)
{
    enum { SOME = 16 << 20 };
    if (journal->eof < journal->hurried + SOME)
        return;
    sync_file_range(journal->file, (off_t)journal->hurried, (off_t)(journal->eof - journal->hurried),
                    SYNC_FILE_RANGE_WRITE);
    journal->hurried = journal->eof;
}

/* Writes new space, and holds back what replaces committed blocks. */
static bool put_bytes(struct journal *journal, haddr_t at, size_t size, const void *data)
{
    const unsigned char *from = data;
    haddr_t kept = whole_blocks(journal->committed) * BLOCK;
    if (at + size > journal->eof)
        journal->eof = at + size;
    journal->fresh = true;
    while (size > 0 && at < kept) {
        size_t chunk = BLOCK - at % BLOCK < size ? (size_t)(BLOCK - at % BLOCK) : size;
        if (!keep_in_block(journal, at, chunk, from))
            return false;
        at += chunk;
        from += chunk;
        size -= chunk;
    }
    if (size > 0 && !journal_record_write_at(journal->file, from, size, at))
        return false;
    hurry(journal);
    return true;
}

/* Writes the waiting blocks to the file, adjacent ones together; first the mark, which shows that this has
 * begun. */
static bool replace_blocks(const struct journal *journal)
{
    enum { RUN = 128 };
    struct journal_block **list = journal_blocks_sorted(&journal->wait);
    unsigned char *run = malloc(RUN * BLOCK);
    bool good = list && run;
    for (size_t k = 0, n; k < journal->wait.count && good; k += n) {
        uint64_t at = list[k]->number * BLOCK;
        for (n = 0; n < RUN && k + n < journal->wait.count && list[k + n]->number == list[k]->number + n &&
                    (n == 0 || list[k]->number > 0);
             n++)
            memcpy(run + n * BLOCK, list[k + n]->data, BLOCK);
        uint64_t end = at + n * BLOCK < journal->eof ? at + n * BLOCK : journal->eof;
        good = journal_record_write_at(journal->file, run, end - at, at);
    }
    free(list);
    free(run);
    return good;
}

/* Whether blocks may be replaced: no reader of ours has the journal, or this is the last sync, or too many wait.
 * A reader then sees by the mark that the file has changed. File systems without locks show no readers. */
static bool claim_log(const struct journal *journal, bool last)
{
    for (int tries = last ? 200 : 1; tries > 0; tries--) {
        if (flock(journal->log, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            return true;
        if (last)
            nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return last || journal->wait.count > MOST_WAITING;
}

/* Brings what was committed to the disk and, unless somebody reads, the waiting blocks to the file. */
static bool sync_all(struct journal *journal, bool last)
{
    if (fdatasync(journal->file) || (journal->logged && fdatasync(journal->log)))
        return false;
    if (journal->logged && !claim_log(journal, last))
        return true;
    bool good = !journal->logged ||
                (replace_blocks(journal) && fdatasync(journal->file) == 0 && ftruncate(journal->log, 0) == 0);
    flock(journal->log, LOCK_UN);
    journal->logged = 0;
    if (journal->mark.magic[0])
        journal->from = journal->mark;
    journal->settled = journal->committed;
    journal_blocks_clear(&journal->wait);
    return good;
}

bool journal_fill(void *handle, haddr_t at, size_t size, const void *data)
{
    const struct journal *journal = handle;
    return journal_record_write_at(journal->file, data, size, at);
}

void journal_hurry(void *handle, haddr_t at, int64_t size)
{
    const struct journal *journal = handle;
    sync_file_range(journal->file, (off_t)at, size, SYNC_FILE_RANGE_WRITE);
}

bool journal_sync(void *handle)
{
    struct journal *journal = handle;
    if (journal->write && !journal->failed)
        journal->failed = sync_all(journal, false) ? 0 : errno ? errno : EIO;
    return !journal->failed;
}

/* Appends a record of what was written since the last one. */
static bool log_commit(struct journal *journal)
{
    size_t size;
    haddr_t first = whole_blocks(journal->committed) * BLOCK;
    struct journal_record head = {.commit = journal->mark.commit,
                                  .from = journal->from,
                                  .settled = journal->settled,
                                  .end = journal->eof,
                                  .first = first};
    memcpy(head.id, journal->id, sizeof head.id);
    unsigned char *all = journal_record_pack(head, &journal->wait, journal->file, &size);
    bool good = all && journal_record_write_at(journal->log, all, size, journal->logged);
    free(all);
    journal->logged += good ? size : 0;
    for (size_t k = 0; k < journal->wait.room; k++)
        if (journal->wait.slot[k])
            journal->wait.slot[k]->fresh = false;
    return good;
}

static herr_t flush_commit(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    struct journal *journal = (struct journal *)base;
    (void)transfer;
    (void)closing;
    if (journal->given_up || journal->plain || !journal->write || journal->failed)
        return journal->failed && !journal->given_up ? fail_again(journal) : 0;
    if (!journal->fresh && journal->eof == journal->committed)
        return 0;
    bool first = journal->committed == 0; /* a new file: there is no earlier state to protect */
    journal->mark.commit++;
    memcpy(journal->mark.id, journal->id, sizeof journal->id);
    bool good = (!journal->mark.magic[0] || put_bytes(journal, 0, sizeof journal->mark, &journal->mark)) &&
                (first || log_commit(journal));
    journal->committed = journal->eof;
    journal->fresh = false;
    if (good && (!first || sync_all(journal, false)))
        return 0;
    return fail_write(journal);
}

static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    struct journal *journal = (struct journal *)base;
    (void)transfer;
    (void)closing;
    if (journal->given_up)
        return 0;
    if (journal->plain && journal->eoa != journal->eof) {
        journal->eof = journal->eoa;
        return ftruncate(journal->file, (off_t)journal->eoa) ? fail_write(journal) : 0;
    }
    /* Never shorter: until the flush, committed tables may refer to bytes beyond HDF5's end of file. */
    if (journal->eoa > journal->eof) {
        if (ftruncate(journal->file, (off_t)journal->eoa))
            return fail_write(journal);
        journal->eof = journal->eoa;
    }
    return 0;
}

static H5FD_t *close_all(struct journal *journal)
{
    int error = errno;
    journal_blocks_clear(&journal->wait);
    if (journal->file >= 0)
        close(journal->file);
    if (journal->log >= 0)
        close(journal->log);
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

/* Brings the names of the file and its journal to the disk. */
static bool sync_names(const char *path)
{
    char *copy = strdup(path);
    bool good = copy && own_file_sync_folder(dirname(copy), NULL) == STATUS_OK;
    free(copy);
    return good;
}

/* Holds the journal until it is closed; waits for a writer that is replacing blocks. */
static void hold_back(int log)
{
    for (int tries = 0; tries < 200 && flock(log, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK; tries++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
}

/* Applies leftover records: to the file, or to what is read of it. */
static bool apply_log(struct journal *journal, bool create)
{
    struct stat info;
    enum journal_found found = JOURNAL_FOUND_NONE;
    uint64_t end = 0;
    if (!journal->write)
        hold_back(journal->log);
    if (!create)
        found = journal_record_find(journal->log, journal->file, &journal->wait, &journal->logged, &end,
                                    &journal->mark);
    if ((found != JOURNAL_FOUND_NONE && found != JOURNAL_FOUND_COMMITS) || fstat(journal->file, &info) ||
        !journal_record_read_mark(journal->file, &journal->from))
        return false;
    if (found == JOURNAL_FOUND_NONE)
        journal->mark = journal->from;
    journal->settled = (uint64_t)info.st_size;
    journal->eof = journal->committed = end > journal->settled ? end : journal->settled;
    if (!journal->write)
        return true;
    /* first what follows the last complete commit: it would no longer match the file */
    return ftruncate(journal->log, (off_t)journal->logged) == 0 &&
           ftruncate(journal->file, (off_t)journal->eof) == 0 &&
           (found == JOURNAL_FOUND_NONE || sync_all(journal, true));
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
    journal->file = open(path, (journal->write ? O_RDWR | O_NOFOLLOW : O_RDONLY) | O_CLOEXEC | create, 0666);
    if (journal->file < 0 || fstat(journal->file, &info)) {
        push_error("opening");
        return close_all(journal);
    }
    journal->device = info.st_dev;
    journal->inode = info.st_ino;
    journal->log = open(journal->log_path,
                        (journal->write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                            (create ? O_TRUNC : 0),
                        0666);
    if (journal->write && (journal->log < 0 || !sync_names(path))) {
        push_error("opening the journal");
        return close_all(journal);
    }
    if (!apply_log(journal, create) ||
        (journal->write && getrandom(journal->id, sizeof journal->id, 0) != sizeof journal->id)) {
        push_error("reading its journal");
        return close_all(journal);
    }
    if (create)
        memcpy(journal->mark.magic, mark_magic, sizeof mark_magic);
    return &journal->base;
}

/* Without a journal, for a file that nobody reads before it is whole */
static H5FD_t *open_plain(const char *path, unsigned flags, hid_t list, haddr_t most)
{
    struct journal *journal = calloc(1, sizeof *journal);
    struct stat info;
    (void)list;
    (void)most;
    if (!journal)
        return NULL;
    journal->write = journal->plain = true;
    journal->log = -1;
    journal->file = open(path,
                         O_RDWR | O_CLOEXEC | O_NOFOLLOW | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
                             (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0),
                         0666);
    if (journal->file < 0 || fstat(journal->file, &info)) {
        push_error("opening");
        return close_all(journal);
    }
    journal->device = info.st_dev;
    journal->inode = info.st_ino;
    return &journal->base;
}

static herr_t close_file(H5FD_t *base)
{
    struct journal *journal = (struct journal *)base;
    herr_t status = 0;
    if (journal->write && !journal->failed && !journal->plain && !journal->given_up) {
        if (sync_all(journal, true))
            unlink(journal->log_path);
        else
            status = push_error("a write");
    }
    close_all(journal);
    return status;
}

static int compare_files(const H5FD_t *a, const H5FD_t *b)
{
    const struct journal *x = (const struct journal *)a, *y = (const struct journal *)b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

static herr_t query_features(const H5FD_t *base, unsigned long *flags)
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
    *handle = base;
    return 0;
}

/* Whether the file's blocks have been replaced, or are being replaced, since it was opened for reading */
static bool has_changed(const struct journal *journal)
{
    struct journal_mark now;
    return !journal_record_read_mark(journal->file, &now) || memcmp(&now, &journal->from, sizeof now) != 0;
}

static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *data)
{
    struct journal *journal = (struct journal *)base;
    (void)type;
    (void)transfer;
    if (!journal_record_read_at(journal->file, data, size, at))
        return push_error("a read");
    journal_blocks_lay_over(&journal->wait, at, size, data);
    if (!journal->write && has_changed(journal)) {
        errno = ESTALE;
        return push_error("a read");
    }
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                          const void *data)
{
    struct journal *journal = (struct journal *)base;
    (void)type;
    (void)transfer;
    if (journal->given_up)
        return 0;
    if (journal->failed)
        return fail_again(journal);
    return put_bytes(journal, at, size, data) ? 0 : fail_write(journal);
}

hid_t journal_use(hid_t access, bool journaled)
{
    H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = (H5FD_class_value_t)600,
#endif
        .name = journaled ? "cardiac-journal" : "cardiac-plain",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .open = journaled ? open_file : open_plain,
        .close = close_file,
        .cmp = compare_files,
        .query = query_features,
        .get_eoa = get_eoa,
        .set_eoa = set_eoa,
        .get_eof = get_eof,
        .get_handle = get_handle,
        .read = read_bytes,
        .write = write_bytes,
        .flush = flush_commit,
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

void journal_give_up(void *handle)
{
    ((struct journal *)handle)->given_up = true;
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
    if (log_path && own_file_claim(log_path, "cardiac ", "", NULL) == STATUS_OK)
        unlink(log_path);
    free(log_path);
}

bool journal_rename(const char *path, const char *to)
{
    char *from = journal_path(path), *new = journal_path(to);
    bool good = from && new && (rename(from, new) == 0 || errno == ENOENT);
    free(from);
    free(new);
    return good;
}

bool journal_move(void *handle, const char *path, const char *to)
{
    struct journal *journal = handle;
    char *log_path = journal_path(to);
    bool good = log_path && rename(journal->log_path, log_path) == 0;
    if (good) {
        char *before = journal->log_path;
        journal->log_path = log_path;
        log_path = before;
        good = rename(path, to) == 0 && sync_names(to);
    }
    free(log_path);
    return good;
}

void journal_recover(const char *path)
{
    H5FD_t *file = journal_exists(path) ? open_file(path, H5F_ACC_RDWR, H5P_DEFAULT, 0) : NULL;
    if (file)
        close_file(file);
    H5Eclear2(H5E_DEFAULT);
}

enum status journal_check(const char *path, struct error *error)
{
    char *log_path = journal_path(path);
    struct journal_blocks blocks = {0};
    struct journal_mark mark;
    uint64_t size, end;
    if (!log_path)
        return error_memory(error, "a file name", (double)strlen(path));
    struct stat info;
    if (stat(log_path, &info) == 0 && !S_ISREG(info.st_mode)) {
        enum status refused =
            error_set(error, STATUS_INPUT, "%s is not a regular file, so it is not a journal", log_path);
        free(log_path);
        return refused;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC), log = open(log_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int reason = errno;
    hold_back(log);
    enum journal_found found = file < 0 ? JOURNAL_FOUND_NONE
                               : log < 0 && reason != ENOENT
                                   ? JOURNAL_FOUND_UNREADABLE
                                   : journal_record_find(log, file, &blocks, &size, &end, &mark);
    enum status status = STATUS_OK;
    if (found == JOURNAL_FOUND_FOREIGN)
        status = error_set(
            error, STATUS_INPUT,
            "%s belongs to another copy of %s: restore that copy, or remove the journal to continue "
            "with this one",
            log_path, path);
    if (found == JOURNAL_FOUND_OLDER)
        status =
            error_set(error, STATUS_INPUT,
                      "%s was written by an older version, whose journals this one cannot read: complete the "
                      "update with that version, or remove the journal to continue without it",
                      log_path);
    if (found == JOURNAL_FOUND_UNREADABLE)
        status = error_set(error, STATUS_INPUT, "%s: cannot be read: %s", log_path,
                           strerror(log < 0 ? reason : errno));
    journal_blocks_clear(&blocks);
    free(log_path);
    if (file >= 0)
        close(file);
    if (log >= 0)
        close(log);
    return status;
}
