/* cores.c: limits by affinity, by quotas of control groups, and by the mesh. */
#include "app/util/cores.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

/* number[] <- the first two words of folder/name; returns how many are numbers. */
static int read_numbers(const char *folder, const char *name, double number[2])
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    int count = file ? fscanf(file, "%lf %lf", &number[0], &number[1]) : 0;
    if (file)
        fclose(file);
    return count;
}

/* The quota of one group in cores; "max" and -1 mean no quota */
static double quota_at(const char *folder)
{
    double v2[2], quota[2], period[2];
    if (read_numbers(folder, "cpu.max", v2) == 2 && v2[0] > 0 && v2[1] > 0)
        return v2[0] / v2[1];
    if (read_numbers(folder, "cpu.cfs_quota_us", quota) > 0 && quota[0] > 0 &&
        read_numbers(folder, "cpu.cfs_period_us", period) > 0 && period[0] > 0)
        return quota[0] / period[0];
    return INFINITY;
}

/* The smallest quota of a group and its ancestors. In a container the path may be the host's, of which only the top
 * exists: missing levels have no quota. */
static double quota_along(const char *top, const char *group)
{
    char folder[PATH];
    size_t root = strlen(top);
    double least = INFINITY;
    if (snprintf(folder, sizeof folder, "%s%s", top, group) >= (int)sizeof folder)
        return least;
    for (;;) {
        least = fmin(least, quota_at(folder));
        char *slash = strrchr(folder + root, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Whether "cpu" is one of "cpuacct,cpu" */
static bool has_cpu(const char *controllers)
{
    for (const char *at = controllers; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == 3 && strncmp(at, "cpu", 3) == 0)
            return true;
    return false;
}

double cores_quota(const char *groups, const char *mount)
{
    /* where the files of version 2 and of version 1's controller are mounted */
    static const char *const controllers_at[2][4] = {{"", "/unified"},
                                                     {"/cpu", "/cpu,cpuacct", "/cpuacct,cpu"}};
    FILE *file = fopen(groups, "r");
    char line[PATH], top[PATH];
    double least = INFINITY;
    while (file && fgets(line, sizeof line, file)) { /* "3:cpu,cpuacct:/a/b", version 2: "0::/a/b" */
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        controllers++;
        if (*controllers && !has_cpu(controllers))
            continue;
        for (int k = 0; k < 4 && controllers_at[*controllers != 0][k]; k++)
            if (snprintf(top, sizeof top, "%s%s", mount, controllers_at[*controllers != 0][k]) <
                (int)sizeof top)
                least = fmin(least, quota_along(top, group));
    }
    if (file)
        fclose(file);
    return least;
}

int cores_share(int64_t nodes, int cores, double quota)
{
    const int64_t nodes_per_thread = 750;
    int64_t threads = nodes / nodes_per_thread;
    if (threads > cores)
        threads = cores;
    if ((double)threads > ceil(quota))
        threads = (int64_t)ceil(quota);
    return threads > 1 ? (int)threads : 1;
}

int cores_allowed(void)
{
    return cores_threads(0, INT64_MAX);
}

int cores_threads(int asked, int64_t nodes)
{
    return asked > 0 ? asked
                     : cores_share(nodes, omp_get_num_procs(), /* respects affinity */
                                   cores_quota("/proc/self/cgroup", "/sys/fs/cgroup"));
}

void cores_limit(int asked)
{
    int most = cores_allowed(), now = omp_get_max_threads();
    omp_set_num_threads(asked > 0 ? asked : now < most ? now : most);
}

void cores_warning(int asked, char *text, size_t room)
{
    text[0] = 0;
    if (asked > cores_allowed())
        snprintf(text, room,
                 "%d threads were requested, but this process may use only %d cores (affinity or cgroup "
                 "quota); threads will compete for them",
                 asked, cores_allowed());
}

void cores_processor(char *name, size_t room)
{
    char line[512];
    FILE *in = fopen("/proc/cpuinfo", "r");
    snprintf(name, room, "unknown");
    while (in && fgets(line, sizeof line, in)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10))
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, room, "%s", colon + (colon[1] == ' ' ? 2 : 1));
        break;
    }
    if (in)
        fclose(in);
}
