/* test_cores.c: how many threads a mesh gets, by cores and the quotas of control groups (in made-up files).
 */
#define _XOPEN_SOURCE 700
#include "app/util/cores.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"

static void test_share(void)
{
    const struct {
        int64_t nodes;
        int cores;
        double quota;
        int want;
    } cases[] = {
        {1, 2, INFINITY, 1},
        {101, 2, INFINITY, 1},
        {101, 64, INFINITY, 1},
        {1499, 64, INFINITY, 1},
        {4305, 2, INFINITY, 2},
        {4305, 64, INFINITY, 5},
        {58176, 64, INFINITY, 64},
        {INT64_MAX, 7, INFINITY, 7},
        {58176, 64, 2.5, 3},
        {58176, 64, 2, 2},
        {58176, 2, 16, 2},
        {58176, 2, 0.3, 1},
        {INT64_MAX, 4096, 1e9, 4096},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        CHECK(cores_share(cases[k].nodes, cases[k].cores, cases[k].quota) == cases[k].want, "%lld nodes: %d",
              (long long)cases[k].nodes, cores_share(cases[k].nodes, cases[k].cores, cases[k].quota));
}

/* root/path <- text, with the folders above it */
static void put(const char *root, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        CHECK(mkdir(full, 0700) == 0 || access(full, F_OK) == 0, "%s", full);
        *at = '/';
    }
    FILE *file = fopen(full, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", full);
}

static double quota(const char *root, const char *groups)
{
    char file[512], mount[512];
    put(root, "groups", groups);
    snprintf(file, sizeof file, "%s/groups", root);
    snprintf(mount, sizeof mount, "%s/fs", root);
    return cores_quota(file, mount);
}

static void test_quota(const char *root)
{
    CHECK(cores_quota("test_cores.none", root) == INFINITY, "no such file");
    CHECK(quota(root, "0::/a/b\n") == INFINITY, "no groups");
    /* version 2: the tightest of a group and those above it */
    put(root, "fs/a/b/cpu.max", "max 100000\n");
    CHECK(quota(root, "0::/a/b\n") == INFINITY, "max");
    put(root, "fs/a/cpu.max", "150000 100000\n");
    CHECK(quota(root, "0::/a/b\n") == 1.5, "the group above");
    put(root, "fs/a/b/cpu.max", "35000 50000\n");
    CHECK(quota(root, "0::/a/b\n") == 0.7, "the group itself");
    CHECK(quota(root, "0::/a\n") == 1.5, "without the one below");
    CHECK(quota(root, "0::/other\n") == INFINITY, "another group");
    /* a container: the path is the host's, the mount shows its own group alone */
    put(root, "fs/cpu.max", "250000 100000\n");
    CHECK(quota(root, "0::/docker/0123\n") == 2.5, "the top");
    CHECK(quota(root, "0::/\n") == 2.5, "the root");
    /* both versions: the tightest */
    put(root, "fs/cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
    put(root, "fs/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    put(root, "fs/cpu,cpuacct/x/y/cpu.cfs_quota_us", "200000\n");
    put(root, "fs/cpu,cpuacct/x/y/cpu.cfs_period_us", "100000\n");
    put(root, "fs/unified/u/cpu.max", "60000 20000\n");
    put(root, "fs/cpu.max", "max 100000\n");
    CHECK(quota(root, "4:cpu,cpuacct:/x/y\n") == 2, "version 1");
    CHECK(quota(root, "4:cpuacct,cpu:/x\n") == INFINITY, "-1");
    CHECK(quota(root, "4:cpuset:/x/y\n3:memory:/x/y\n") == INFINITY, "other controllers");
    CHECK(quota(root, "9:name=systemd:/\n4:cpu,cpuacct:/x/y\n0::/u\n") == 2, "both, the first");
    CHECK(quota(root, "4:cpu,cpuacct:/x\n0::/u\n") == 3, "both, the second");
    /* what says nothing, or nonsense */
    put(root, "fs/bad/cpu.max", "-5 0\n");
    CHECK(quota(root, "0::/bad\nrubbish\n:\n::\n") == INFINITY, "nonsense");
}

int main(void)
{
    char root[] = "test_cores.XXXXXX", command[64];
    CHECK(mkdtemp(root), "a folder");
    test_share();
    test_quota(root);
    CHECK(cores_allowed() >= 1 && cores_threads(0, 101) == 1 && cores_threads(3, 101) == 3, "%d",
          cores_allowed());
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command) != 0;
}
