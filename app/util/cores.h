/* cores.h: the processor, how many of its cores this process may use, and how many threads pay off on a mesh. */
#ifndef CARDIAC_APP_UTIL_CORES_H
#define CARDIAC_APP_UTIL_CORES_H

#include <stddef.h>
#include <stdint.h>

/* Cores that the quotas of a process's control groups amount to, the least of all levels; infinite = no
 * quota. groups: /proc/self/cgroup; mount: /sys/fs/cgroup, of version 1 (cpu.cfs_quota_us), 2 (cpu.max) or
 * both. */
double cores_quota(const char *groups, const char *mount);

/* The cores that affinity and quotas leave this process, at least 1 */
int cores_allowed(void);

/* Threads for a mesh: barriers pay off from some hundred nodes a thread on. quota in cores: a fraction of one
 * is worth a thread. */
int cores_share(int64_t nodes, int cores, double quota);

/* Threads of a run: those requested, 0 = by cores and mesh. */
int cores_threads(int asked, int64_t nodes);

/* Bounds the threads of later loops of this thread; 0 = OpenMP's choice within the cores allowed. A thread
 * that is started later does not inherit the bound. */
void cores_limit(int asked);

/* text <- a warning if more threads are requested than cores are free, or "" */
void cores_warning(int asked, char *text, size_t room);

/* name <- the processor's name as the system gives it, or "unknown" */
void cores_processor(char *name, size_t room);

#endif
