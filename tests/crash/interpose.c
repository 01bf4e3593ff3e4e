/* interpose.c: stands before the C library of a program (LD_PRELOAD) and does harm to its files in the folder
 * CRASH_DIRECTORY, by the environment:
 *   CRASH_RECORD=FILE         every call that changes them is written down (record.h);
 * CRASH_SLOW=microseconds are slept at each, so that a short run lasts as long as a long one CRASH_KILL=N the
 * program is killed before the N-th of these calls CRASH_FAIL=N CRASH_ERRNO=E  the N-th call of any kind,
 * allocations included, fails with E; all later ones of its kind with CRASH_LASTS=1 CRASH_COUNT=FILE the
 * number of calls is written there in the end Calls are counted from the first file on that ends in .yaml. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/crash/record.h"

enum { FILES = 1024 };

static const char *directory, *count_path;
static int record = -1, fail_errno, fail_lasts;
static long slow, kill_at, fail_at;
static atomic_long changes, calls;
static atomic_int began, failing_kind = -1;
static uint64_t inode[FILES]; /* of the open files in the folder, 0 = it is not there */
static FILE *stream[FILES];
static uintptr_t program_begin, program_size; /* its code and data */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static int find_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    program_begin = info->dlpi_addr;
    for (int k = 0; k < info->dlpi_phnum; k++)
        if (info->dlpi_phdr[k].p_type == PT_LOAD)
            program_size = info->dlpi_phdr[k].p_vaddr + info->dlpi_phdr[k].p_memsz;
    return 1; /* the program is the first */
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(find_program, NULL);
    const char *path = getenv("CRASH_RECORD");
    directory = getenv("CRASH_DIRECTORY");
    count_path = getenv("CRASH_COUNT");
    slow = number("CRASH_SLOW");
    kill_at = number("CRASH_KILL");
    fail_at = number("CRASH_FAIL");
    fail_errno = (int)number("CRASH_ERRNO");
    fail_lasts = (int)number("CRASH_LASTS");
    if (path)
        record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

__attribute__((destructor)) static void end(void)
{
    char text[64];
    if (!count_path)
        return;
    int length = snprintf(text, sizeof text, "%ld %ld\n", atomic_load(&changes), atomic_load(&calls));
    int file = (int)syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    syscall(SYS_write, file, text, length);
    syscall(SYS_close, file);
}

static bool ours(const char *path)
{
    size_t length = directory ? strlen(directory) : 0;
    return length && strncmp(path, directory, length) == 0 && (path[length] == '/' || !path[length]);
}

static bool ours_open(int file)
{
    return file >= 0 && file < FILES && inode[file];
}

/* Whether this call is to fail; kind: those that fail alike */
static bool fails(int kind)
{
    if (!atomic_load(&began))
        return false;
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (fail_at && n == fail_at)
        atomic_store(&failing_kind, kind);
    if (!fail_at || n < fail_at || atomic_load(&failing_kind) != kind || (n > fail_at && !fail_lasts))
        return false;
    errno = fail_errno;
    return true;
}

enum kind { MEMORY, OPEN, READ, WRITE, SYNC, NAME, OTHER };

static void put(const void *data, size_t size)
{
    const char *from = data;
    for (ssize_t done; size > 0; from += done, size -= (size_t)done)
        if ((done = syscall(SYS_write, record, from, size)) <= 0)
            abort();
}

/* Whether the program itself calls: libraries that run out of memory (HDF5, OpenMP) end the program as they
 * like. */
static bool own_caller(const void *caller)
{
    return (uintptr_t)caller - program_begin < program_size;
}

/* A call that changes a file is about to be made */
static void change(enum record_kind kind, uint64_t file, int64_t at, const void *data, size_t size,
                   const char *to)
{
    long n = atomic_fetch_add(&changes, 1) + 1;
    if (kill_at && n == kill_at)
        kill(getpid(), SIGKILL);
    if (record < 0)
        return;
    struct timespec now, pause = {0, slow * 1000};
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct record head = {kind, to ? (uint32_t)strlen(to) + 1 : 0,
                          file, at,
                          size, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec};
    pthread_mutex_lock(&lock);
    put(&head, sizeof head);
    put(data, size);
    if (to)
        put(to, head.to);
    pthread_mutex_unlock(&lock);
    nanosleep(&pause, NULL);
}

/* The first config is read: from now on it counts. */
static void note(const char *path)
{
    size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".yaml") == 0)
        atomic_store(&began, 1);
}

static int open_any(int at, const char *path, int flags, mode_t mode)
{
    struct stat info;
    bool here = ours(path), there = here && syscall(SYS_newfstatat, at, path, &info, 0) == 0;
    note(path);
    if (fails(OPEN))
        return -1;
    bool made = here && !there && flags & O_CREAT, cut = there && flags & O_TRUNC;
    if (made || cut)
        if (kill_at && atomic_fetch_add(&changes, 1) + 1 == kill_at)
            kill(getpid(), SIGKILL);
    int file = (int)syscall(SYS_openat, at, path, flags, mode);
    if (!here || file < 0 || file >= FILES)
        return file;
    fstat(file, &info);
    inode[file] = info.st_ino;
    if (record >= 0 && made)
        change(RECORD_CREATE, info.st_ino, 0, path, strlen(path) + 1, NULL);
    if (record >= 0 && cut)
        change(RECORD_LENGTH, info.st_ino, 0, NULL, 0, NULL);
    return file;
}

#define MODE(flags)                                                                                          \
    mode_t mode = 0;                                                                                         \
    if ((flags)&O_CREAT) {                                                                                   \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode = va_arg(list, mode_t);                                                                         \
        va_end(list);                                                                                        \
    }

int open(const char *path, int flags, ...)
{
    MODE(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}

int close(int file)
{
    if (file >= 0 && file < FILES)
        inode[file] = 0;
    return (int)syscall(SYS_close, file);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    if (ours_open(file) && fails(WRITE))
        return -1;
    if (ours_open(file))
        change(RECORD_WRITE, inode[file], at, data, size, NULL);
    return syscall(SYS_pwrite64, file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t at)
{
    return pwrite(file, data, size, at);
}

ssize_t write(int file, const void *data, size_t size)
{
    if (!ours_open(file))
        return syscall(SYS_write, file, data, size);
    if (fails(WRITE))
        return -1;
    bool append = fcntl(file, F_GETFL) & O_APPEND;
    change(RECORD_WRITE, inode[file], lseek(file, 0, append ? SEEK_END : SEEK_CUR), data, size, NULL);
    return syscall(SYS_write, file, data, size);
}

ssize_t pread(int file, void *data, size_t size, off_t at)
{
    return ours_open(file) && fails(READ) ? -1 : syscall(SYS_pread64, file, data, size, at);
}

ssize_t pread64(int file, void *data, size_t size, off_t at)
{
    return pread(file, data, size, at);
}

ssize_t read(int file, void *data, size_t size)
{
    return fails(READ) ? -1 : syscall(SYS_read, file, data, size);
}

static int sync_any(int file, long call)
{
    if (ours_open(file) && fails(SYNC))
        return -1;
    long done = syscall(call, file);
    if (ours_open(file)) /* what was written before it, or it is not recorded at all */
        change(RECORD_SYNC, inode[file], 0, NULL, 0, NULL);
    return (int)done;
}

int fsync(int file)
{
    return sync_any(file, SYS_fsync);
}

int fdatasync(int file)
{
    return sync_any(file, SYS_fdatasync);
}

int ftruncate(int file, off_t size)
{
    if (ours_open(file) && fails(WRITE))
        return -1;
    if (ours_open(file))
        change(RECORD_LENGTH, inode[file], size, NULL, 0, NULL);
    return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off_t size)
{
    return ftruncate(file, size);
}

int rename(const char *from, const char *to)
{
    if (ours(to) && fails(NAME))
        return -1;
    if (ours(to))
        change(RECORD_RENAME, 0, 0, from, strlen(from) + 1, to);
    return (int)syscall(SYS_rename, from, to);
}

int unlink(const char *path)
{
    if (ours(path) && fails(NAME))
        return -1;
    if (ours(path))
        change(RECORD_UNLINK, 0, 0, path, strlen(path) + 1, NULL);
    return (int)syscall(SYS_unlink, path);
}

int mkdir(const char *path, mode_t mode)
{
    return ours(path) && fails(NAME) ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

int flock(int file, int operation)
{
    return ours_open(file) && fails(OTHER) ? -1 : (int)syscall(SYS_flock, file, operation);
}

/* Streams on files of the folder write through the calls above, which the C library's own do not. */
static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
    ssize_t done = write((int)(intptr_t)cookie, data, size);
    return done < 0 ? 0 : done;
}

static ssize_t stream_read(void *cookie, char *data, size_t size)
{
    return read((int)(intptr_t)cookie, data, size);
}

static int stream_seek(void *cookie, off64_t *at, int whence)
{
    off64_t to = lseek((int)(intptr_t)cookie, *at, whence);
    *at = to;
    return to < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    int file = (int)(intptr_t)cookie;
    stream[file] = NULL;
    return close(file);
}

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    note(path);
    return fails(OPEN) ? NULL : real(path, mode);
}

FILE *fdopen(int file, const char *mode)
{
    static FILE *(*real)(int, const char *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fdopen");
    if (!ours_open(file))
        return real(file, mode);
    const cookie_io_functions_t calls_of = {stream_read, stream_write, stream_seek, stream_close};
    return stream[file] = fopencookie((void *)(intptr_t)file, mode, calls_of);
}

int fileno(FILE *of)
{
    static int (*real)(FILE *);
    for (int file = 0; file < FILES; file++)
        if (stream[file] == of && of)
            return file;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fileno");
    return real(of);
}

void *malloc(size_t size)
{
    extern void *__libc_malloc(size_t);
    return (fail_at || count_path) && own_caller(__builtin_return_address(0)) && fails(MEMORY)
               ? NULL
               : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    extern void *__libc_calloc(size_t, size_t);
    return (fail_at || count_path) && own_caller(__builtin_return_address(0)) && fails(MEMORY)
               ? NULL
               : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    extern void *__libc_realloc(void *, size_t);
    return (fail_at || count_path) && own_caller(__builtin_return_address(0)) && fails(MEMORY)
               ? NULL
               : __libc_realloc(old, size);
}
