/* test_cache.c: what is on its way into the cache under one name at once: processes of machines and
 * containers that share a home, numbered alike, do not take each other's files away. */
#include "app/models/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wx");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static void expect_entry(const struct cache *cache, const char *want)
{
    size_t size;
    char *got = cache_read(cache, "entry", &size);
    CHECK(got && size == strlen(want) && strcmp(got, want) == 0, "'%s', want '%s'", got ? got : "", want);
    free(got);
}

int main(void)
{
    struct error error = {0};
    struct cache cache;
    char home[] = "/tmp/test_cache.XXXXXX", first[CACHE_PATH], second[CACHE_PATH];
    CHECK(mkdtemp(home), "no folder");
    setenv("XDG_CACHE_HOME", home, 1);
    CHECK_OK(cache_open(&cache, &error), error);
    cache_beside(&cache, "entry", first);
    put(first, "of the first");
    cache_beside(&cache, "entry", second);
    CHECK(strcmp(first, second) != 0 && access(first, R_OK) == 0, "%s and %s", first, second);
    put(second, "of the second");
    CHECK_OK(cache_keep(&cache, first, "entry", &error), error);
    expect_entry(&cache, "of the first");
    CHECK_OK(cache_keep(&cache, second, "entry", &error), error);
    expect_entry(&cache, "of the second");
    unlinkat(cache.folder, "entry", 0);
    CHECK(rmdir(cache.path) == 0 && rmdir(home) == 0, "files were left behind");
    cache_close(&cache);
    return 0;
}
