/* info_build.c: compiler, libraries, processor. */
#include <hdf5.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>
#include <zlib.h>

#include "app/commands/info.h"
#include "app/util/version.h"
#include "kernels/device/backend.h"
#include "solver/matrix/ordering.h"

/* name <- the processor's name as the system tells it */
static void processor_name(char *name, size_t room)
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

static void print_cache(const char *name, int size, int line)
{
    long bytes = sysconf(size), width = sysconf(line);
    if (bytes > 0)
        printf("  %-12s %ld kiB, lines of %ld bytes\n", name, bytes / 1024, width);
}

static void print_backends(void)
{
    static const char *const names[] = {"cpu-plain", "cpu-avx2", "cpu-avx512", "cuda"};
    const struct backend *best = backend_find("cpu", NULL);
    printf("  %-12s", "kernels");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct backend *backend = backend_find(names[i], NULL);
        if (backend)
            printf(" %s%s", names[i], backend == best ? " (chosen)" : "");
    }
    putchar('\n');
}

void info_build(void)
{
    unsigned major = 0, minor = 0, release = 0;
    char name[256];
    H5get_libversion(&major, &minor, &release);
    processor_name(name, sizeof name);
    printf("%s\n", version_text());
#ifdef __clang__
    printf("  %-12s %s\n", "compiler", __VERSION__);
#else
    printf("  %-12s gcc %s\n", "compiler", __VERSION__);
#endif
    printf("  %-12s %d\n", "OpenMP", _OPENMP);
    printf("  %-12s %u.%u.%u\n", "HDF5", major, minor, release);
    printf("  %-12s %s\n", "libyaml", yaml_get_version_string());
    printf("  %-12s %s\n", "zlib", zlibVersion());
    printf("  %-12s %s\n", "METIS", ordering_available(ORDERING_METIS) ? "yes" : "not in this build");
    puts("machine");
    printf("  %-12s %s\n", "processor", name);
    printf("  %-12s %ld online, %d used by default\n", "cores", sysconf(_SC_NPROCESSORS_ONLN),
           omp_get_max_threads());
    print_cache("L1 data", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE);
    print_cache("L2", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE);
    print_cache("L3", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE);
    printf("  %-12s %.1f GiB\n", "memory",
           (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 0x1p30);
    print_backends();
    info_devices();
}
