/* test_cache.c: entries of the compile cache that are written at once, its sweep, its temporary folder, and
 * what is measured by one process for all. */
#include "app/util/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/problem/front_memory.h"
#include "tests/support/check.h"

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wx");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

/* A file of the folder that was last used so many days ago */
static void put_old(const char *folder, const char *name, double days)
{
    char path[CACHE_PATH];
    const struct timespec then = {.tv_sec = time(NULL) - (time_t)(days * 86400)}, times[2] = {then, then};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    put(path, "");
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0, "%s", path);
}

static void expect_file(const char *folder, const char *name, bool there)
{
    char path[CACHE_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK((access(path, F_OK) == 0) == there, "%s is %s", path, there ? "gone" : "there");
    unlink(path);
}

static void expect_entry(const struct cache *cache, const char *want)
{
    size_t size;
    char *got = cache_read(cache, "entry", &size);
    CHECK(got && size == strlen(want) && strcmp(got, want) == 0, "'%s', want '%s'", got ? got : "", want);
    free(got);
}

/* Processes of computers and containers that share a home, with the same number, leave each other's files */
static void test_entries(const struct cache *cache)
{
    struct error error = {0};
    char first[CACHE_PATH], second[CACHE_PATH];
    cache_temporary(cache, "entry", first);
    put(first, "of the first");
    cache_temporary(cache, "entry", second);
    CHECK(strcmp(first, second) != 0 && access(first, R_OK) == 0, "%s and %s", first, second);
    put(second, "of the second");
    CHECK_OK(cache_adopt(cache, first, "entry", &error), error);
    expect_entry(cache, "of the first");
    CHECK_OK(cache_adopt(cache, second, "entry", &error), error);
    expect_entry(cache, "of the second");
    CHECK(unlink(first) == 0 && unlink(second) == 0, "temporary files are their owners'");
    cache_remove(cache, "entry");
    CHECK(!cache_find(cache, "entry", first), "the entry is there");
}

/* An entry that was renamed to another's name is not read. */
static void test_renamed(const struct cache *cache)
{
    struct error error = {0};
    size_t size;
    CHECK_OK(cache_write(cache, "one", "of one", 6, &error), error);
    CHECK(renameat(cache->folder, "one", cache->folder, "other") == 0, "not renamed");
    char *bytes = cache_read(cache, "other", &size);
    CHECK(!bytes, "the entry 'other' has the contents '%s'", bytes);
    CHECK(renameat(cache->folder, "other", cache->folder, "one") == 0, "not renamed");
    bytes = cache_read(cache, "one", &size);
    CHECK(bytes && size == 6 && strcmp(bytes, "of one") == 0, "the entry 'one' cannot be read");
    free(bytes);
    cache_remove(cache, "one");
}

/* Other parts are another entry, also where they are cut elsewhere */
static void test_names(void)
{
    const struct cache_input one[] = {CACHE_TEXT("ab"), CACHE_TEXT("c")},
                             two[] = {CACHE_TEXT("a"), CACHE_TEXT("bc")};
    char name[3][CACHE_NAME];
    cache_name(name[0], "so", one, 2);
    cache_name(name[1], "so", two, 2);
    cache_name(name[2], "cubin", one, 2);
    CHECK(strcmp(name[0], name[1]) != 0 && strcmp(name[0], name[2]) != 0 && strcmp(name[0] + 64, ".so") == 0,
          "%s, %s, %s", name[0], name[1], name[2]);
}

/* Of four entries of 1064 bytes those that were not used for longest go */
static void test_bound(const struct cache *cache)
{
    struct error error = {0};
    char name[4][CACHE_NAME], path[CACHE_PATH], bytes[1000] = "";
    for (int k = 0; k < 4; k++) {
        const struct timespec then = {.tv_sec = 1000000000 + (k + 2) % 4}, times[2] = {then, then};
        const struct cache_input input = {&k, sizeof k};
        cache_name(name[k], "nodes", &input, 1);
        CHECK_OK(cache_write(cache, name[k], bytes, sizeof bytes, &error), error);
        snprintf(path, sizeof path, "%s/%s", cache->path, name[k]);
        CHECK(utimensat(AT_FDCWD, path, times, 0) == 0, "%s", path);
    }
    cache_bound(cache, "so", 1000, 100);
    cache_bound(cache, "nodes", 1000, 4 * 1064 + 1000);
    CHECK(cache_find(cache, name[2], path), "the oldest went while there was room");
    snprintf(path, sizeof path, "%s/%s", cache->path, name[2]); /* that find was a use */
    CHECK(utimensat(AT_FDCWD, path, (struct timespec[2]){{1000000000, 0}, {1000000000, 0}}, 0) == 0, "%s",
          path);
    cache_bound(cache, "nodes", 1000, 2 * 1064 + 1000);
    expect_file(cache->path, name[2], false);
    expect_file(cache->path, name[3], false);
    expect_file(cache->path, name[0], true);
    expect_file(cache->path, name[1], true);
}

/* Processes that ask for one value at once: it is measured once, and by the next one where who measures is
 * killed. */
static void test_measurements(const struct cache *cache, bool killed)
{
    const int processes = 6;
    const struct cache_input part = {&killed, sizeof killed};
    char name[CACHE_NAME], path[CACHE_PATH];
    cache_name(name, "fronts", &part, 1);
    int measured = memfd_create("measured", 0), status;
    for (int p = 0; p < processes; p++) {
        if (fork())
            continue;
        struct front_memory memory = {0};
        struct front_measurement measurement;
        double value = 0;
        front_memory_open(&memory);
        if (!front_measurement_begin(&measurement, &memory, name, &value, sizeof value)) {
            const bool first = lseek(measured, 0, SEEK_CUR) == 0;
            value = 0.5;
            CHECK(write(measured, "x", 1) == 1, "write");
            usleep(100000);
            if (first && killed)
                raise(SIGKILL);
        }
        front_measurement_end(&measurement, &value, true);
        _exit(value == 0.5 && front_measurement_begin(&measurement, &memory, name, &value, sizeof value) ? 0
                                                                                                         : 1);
    }
    int lost = 0, wrong = 0;
    while (wait(&status) > 0) {
        lost += WIFSIGNALED(status);
        wrong += WIFEXITED(status) && WEXITSTATUS(status) != 0;
    }
    CHECK(lost == killed && wrong == 0, "%d ended by a signal, %d without the value", lost, wrong);
    CHECK(lseek(measured, 0, SEEK_CUR) == 1 + killed, "measured %d times", (int)lseek(measured, 0, SEEK_CUR));
    snprintf(path, sizeof path, "%s/%s", cache->path, name);
    CHECK(close(measured) == 0 && unlink(path) == 0, "%s", path);
}

/* Every build has a name of its own without a look at its file, which takes as long as a small run. */
static void test_program(void)
{
    char hex[SHA256_HEX], again[SHA256_HEX] = "";
    clock_t began = clock();
    for (int k = 0; k < 100; k++)
        CHECK(cache_program(hex) && cache_program(again) && strcmp(hex, again) == 0, "%s and %s", hex, again);
    CHECK(clock() - began < CLOCKS_PER_SEC / 10 && strlen(hex) == 64, "%s", hex);
}

int main(void)
{
    test_program();
    static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    struct error error = {0};
    struct cache cache;
    char home[] = "/tmp/test_cache.XXXXXX", folder[100], old[100], used[100];
    CHECK(mkdtemp(home), "no folder");
    setenv("XDG_CACHE_HOME", home, 1);
    snprintf(folder, sizeof folder, "%s/cardiac", home);
    CHECK(mkdir(folder, 0700) == 0, "no folder");
    snprintf(old, sizeof old, "%s.so", digest);
    snprintf(used, sizeof used, "%s.states", digest);
    put_old(folder, old, 91);
    put_old(folder, used, 89);
    put_old(folder, "notes.so", 1000);
    put_old(folder, ".12-34-x.so", 0.1);
    put_old(folder, ".12-35-x.so", 0.01);
    put_old(folder, ".swept", 0.04); /* within the hour */
    CHECK_OK(cache_open(&cache, &error), error);
    expect_file(folder, old, true);
    expect_file(folder, ".swept", true);
    cache_close(&cache);
    put_old(folder, old, 91);
    put_old(folder, ".swept", 0.05);
    CHECK_OK(cache_open(&cache, &error), error);
    expect_file(folder, old, false);
    expect_file(folder, used, true);
    expect_file(folder, "notes.so", true);
    expect_file(folder, ".12-34-x.so", false);
    expect_file(folder, ".12-35-x.so", true);
    expect_file(folder, ".swept", true);
    cache_close(&cache);
    put_old(folder, old, 91);
    put_old(folder, ".swept", -1); /* by a clock that was ahead */
    CHECK_OK(cache_open(&cache, &error), error);
    expect_file(folder, old, false);
    test_entries(&cache);
    test_renamed(&cache);
    test_names();
    test_bound(&cache);
    test_measurements(&cache, false);
    test_measurements(&cache, true);
    expect_file(cache.path, "locks", true);
    expect_file(cache.path, ".swept", true);
    CHECK(rmdir(cache.path) == 0, "files were left behind");
    cache_close(&cache);

    setenv("XDG_CACHE_HOME", "/proc/none", 1);
    setenv("TMPDIR", home, 1);
    CHECK_OK(cache_open(&cache, &error), error);
    snprintf(folder, sizeof folder, "%s/cardiac-%ld", home, (long)geteuid());
    CHECK(strcmp(cache.path, folder) == 0, "%s", cache.path);
    cache_close(&cache);
    expect_file(folder, ".swept", true);
    CHECK(rmdir(folder) == 0 && symlink(home, folder) == 0, "%s", folder);
    CHECK(cache_open(&cache, &error) == STATUS_INPUT && strstr(error.text, "a link"), "%s", error.text);
    CHECK(unlink(folder) == 0 && rmdir(home) == 0, "files were left behind");
    return 0;
}
