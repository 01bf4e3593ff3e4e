/* cores.h: the number of cores that this process may use, and the number of threads worth using on a mesh. */
#ifndef CARDIAC_APP_UTIL_CORES_H
#define CARDIAC_APP_UTIL_CORES_H

#include <stddef.h>
#include <stdint.h>

/* The CPU quota of a process's control groups, in cores, the smallest of all levels; infinite = no quota. groups:
 * /proc/self/cgroup; mount: /sys/fs/cgroup, of version 1 (cpu.cfs_quota_us), 2 (cpu.max) or both. */
double cores_quota(const char *groups, const char *mount);

/* The number of cores that affinity and quotas allow this process, at least 1 */
int cores_allowed(void);

/* The number of threads for a mesh: a thread is worth its barriers from some hundred nodes on. quota: in cores, rounded
 * up. */
int cores_share(int64_t nodes, int cores, double quota);

/* The number of threads of a run: as requested, or for 0 chosen from cores and mesh size */
int cores_threads(int asked, int64_t nodes);

/* Bounds the number of threads of this thread's later loops; 0 = OpenMP's choice within the cores allowed. Threads
 * started later do not inherit the bound. */
void cores_limit(int asked);

/* text <- a warning if more threads are requested than cores are free, or "" */
void cores_warning(int asked, char *text, size_t room);

/* name <- the processor's name as the system reports it, or "unknown" */
void cores_processor(char *name, size_t room);

#endif
