/* test_api_caller.c: after every function of the library the process is as it was: floating-point mode,
 * locale, signals, environment, umask, directory, numbers of OpenMP, standard output. With standard output
 * and error closed all works; after fork() a simulation is refused at once, and the child opens its own. */
#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "tests/api/sample.h"

enum { NODES = 41, SIGNALS = 64 };

struct process {
    int rounding, threads, numbers, omp_dynamic;
    unsigned modes;
    char locale[1000], directory[1000], environment[20000];
    struct sigaction action[SIGNALS];
    sigset_t mask;
    mode_t umask;
    locale_t own;
};

/* Padding of what the system fills in is zero. */
static void remember(struct process *process)
{
    size_t used = 0;
    memset(process, 0, sizeof *process);
    process->rounding = fegetround();
    process->modes = _mm_getcsr() & 0xffc0; /* not the flags of exceptions */
    process->threads = omp_get_max_threads();
    process->omp_dynamic = omp_get_dynamic();
    snprintf(process->locale, sizeof process->locale, "%s %s", setlocale(LC_ALL, NULL),
             localeconv()->decimal_point);
    process->own = uselocale((locale_t)0);
    CHECK(getcwd(process->directory, sizeof process->directory), "no working directory");
    for (char **at = environ; *at; at++)
        used +=
            (size_t)snprintf(process->environment + used, sizeof process->environment - used, "%s\n", *at);
    CHECK(used < sizeof process->environment, "%zu bytes of environment", used);
    for (int s = 1; s < SIGNALS; s++)
        sigaction(s, NULL, &process->action[s]);
    sigprocmask(SIG_SETMASK, NULL, &process->mask);
    process->umask = umask(0);
    umask(process->umask);
}

static void compare(const struct process *before, const char *call)
{
    static struct process now;
    remember(&now);
    CHECK(now.rounding == before->rounding && now.modes == before->modes, "%s: modes %x, were %x", call,
          now.modes, before->modes);
    CHECK(now.threads == before->threads && now.omp_dynamic == before->omp_dynamic, "%s: %d threads, were %d",
          call, now.threads, before->threads);
    CHECK(strcmp(now.locale, before->locale) == 0 && now.own == before->own, "%s: locale %s", call,
          now.locale);
    CHECK(strcmp(now.directory, before->directory) == 0, "%s: in %s", call, now.directory);
    CHECK(strcmp(now.environment, before->environment) == 0, "%s: %s", call, now.environment);
    for (int s = 1; s < SIGNALS; s++)
        CHECK(now.action[s].sa_handler == before->action[s].sa_handler &&
                  now.action[s].sa_flags == before->action[s].sa_flags,
              "%s: handler of signal %d", call, s);
    CHECK(memcmp(&now.mask, &before->mask, sizeof now.mask) == 0, "%s: signal mask", call);
    CHECK(now.umask == before->umask, "%s: umask", call);
}

#define KEEPS(call)                                                                                          \
    do {                                                                                                     \
        CHECK_API(call, sim);                                                                                \
        compare(before, #call);                                                                              \
    } while (0)

static void ignore_line(void *argument, const char *text)
{
    *(int *)argument += strlen(text) > 0;
}

/* Every function; returns the last V of the cable */
static double use_all(const struct process *before)
{
    static double value[3 * NODES];
    struct cardiac *sim;
    struct cardiac_state *state;
    char *json;
    double ms;
    int64_t count, vertex[2 * NODES], node[] = {1, 7};
    int corners, lines = 0;
    KEEPS(cardiac_open(&sim, SAMPLE_CABLE "threads: 2\n", NULL, "{\"solver.splitting\": \"godunov\"}"));
    KEEPS(cardiac_log(sim, ignore_line, &lines));
    KEEPS(cardiac_array(sim, "share", value, NODES, 1));
    KEEPS(cardiac_reopen(sim, NULL, "{\"solver.method\": \"jacobi\"}"));
    KEEPS(cardiac_advance(sim, 3));
    KEEPS(cardiac_time(sim, &ms));
    KEEPS(cardiac_step_length(sim, &ms));
    KEEPS(cardiac_nodes(sim, &count));
    KEEPS(cardiac_elements(sim, &count, &corners));
    KEEPS(cardiac_points(sim, value, (int64_t)3 * NODES));
    KEEPS(cardiac_cells(sim, vertex, corners * count));
    KEEPS(cardiac_fields(sim, &json));
    cardiac_free(json);
    KEEPS(cardiac_get(sim, "V", value, NODES));
    KEEPS(cardiac_set(sim, "V", value, NODES));
    KEEPS(cardiac_get_at(sim, "V", node, 2, value));
    KEEPS(cardiac_set_at(sim, "V", node, 2, value));
    KEEPS(cardiac_copy(sim, &state));
    KEEPS(cardiac_move(sim, "S2", 0, 12));
    KEEPS(cardiac_current(sim, node, 2, value));
    KEEPS(cardiac_advance(sim, 20));
    KEEPS(cardiac_restore(sim, state));
    cardiac_state_free(state);
    KEEPS(cardiac_advance(sim, 12));
    KEEPS(cardiac_report(sim, &json));
    cardiac_free(json);
    KEEPS(cardiac_config(sim, &json));
    cardiac_free(json);
    KEEPS(cardiac_keys(&json));
    cardiac_free(json);
    KEEPS(cardiac_models(&json));
    cardiac_free(json);
    CHECK(cardiac_advance(sim, 1) == 2, "the past");
    compare(before, "an error");
    KEEPS(cardiac_get(sim, "V", value, NODES));
    cardiac_close(sim);
    compare(before, "cardiac_close");
    CHECK(lines > 5, "%d lines of the log", lines);
    return value[NODES - 1];
}

/* True where every other thread of the process sleeps */
static bool is_quiet(void)
{
    const long self = gettid();
    bool quiet = true;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks, "no /proc");
    for (struct dirent *task; (task = readdir(tasks));) {
        char path[300], state = 'S';
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        FILE *file = atol(task->d_name) && atol(task->d_name) != self ? fopen(path, "r") : NULL;
        if (file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1)
            quiet = quiet && state == 'S';
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return quiet;
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Runs `use` in a child; returns its status, at most 10 s later. Threads of a pool end after the call that ended the
 * pool, and AddressSanitizer's allocator, unlike libc's, keeps its locks across fork(): the child would wait for them. */
static int child(int (*use)(struct cardiac *sim), struct cardiac *sim)
{
    int status;
    for (int k = 0; k < 1000 && !is_quiet(); k++) /* with OMP_WAIT_POLICY=active they never sleep */
        pause_briefly();
    pid_t pid = fork();
    if (pid == 0) {
        alarm(10);
        _exit(use(sim));
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int use_without_output(struct cardiac *sim)
{
    static struct process before;
    (void)sim;
    close(0);
    close(1);
    close(2);
    remember(&before);
    use_all(&before);
    return 0;
}

/* Seconds since an arbitrary time */
static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int use_of_parent(struct cardiac *sim)
{
    double ms, began = now();
    if (cardiac_advance(sim, 20) != 2 || !strstr(cardiac_error(sim), "fork") || cardiac_time(sim, &ms) != 2 ||
        now() - began > 1)
        return 1;
    cardiac_close(sim);
    return 0;
}

static int use_own(struct cardiac *sim)
{
    struct cardiac *own;
    (void)sim;
    if (cardiac_open(&own, SAMPLE_CABLE "threads: 2\n", NULL, NULL) || cardiac_advance(own, 5))
        return 1;
    cardiac_close(own);
    return 0;
}

/* A file that cannot be written is an error, and the process ends as it would have without it: HDF5 has no open file
 * that its exit handler would write again. */
static int write_too_much(struct cardiac *sim)
{
    const struct rlimit limit = {4096, 4096};
    (void)sim;
    struct cardiac *own;
    if (cardiac_open(&own, SAMPLE_CABLE "threads: 2\n", NULL, "{\"mesh.cable.length\": 800}"))
        return 1;
    setrlimit(RLIMIT_FSIZE, &limit);
    if (cardiac_write(own, "full.vtkhdf", 0, NULL, NULL, NULL) != 3 ||
        !strstr(cardiac_error(own), "File too large"))
        return 2;
    cardiac_close(own);
    exit(0);
}

static void check_fork(void)
{
    struct cardiac *sim;
    CHECK_API(cardiac_open(&sim, SAMPLE_CABLE "threads: 2\n", NULL, NULL), sim);
    CHECK_API(cardiac_advance(sim, 4), sim);
    CHECK(child(use_of_parent, sim) == 0, "a child used its parent's");
    CHECK(child(use_own, sim) == 0, "a child could not open its own");
    CHECK_API(cardiac_advance(sim, 5), sim);
    cardiac_close(sim);
}

/* What another thread sees of a call, and how it ends it */
struct watch {
    struct cardiac *sim;
    pthread_t caller;
    int lines, status;
    bool in_caller; /* lines come in the thread of the call */
};

static void count_line(void *argument, const char *text)
{
    struct watch *watch = argument;
    (void)text;
    watch->in_caller = pthread_equal(pthread_self(), watch->caller);
    __atomic_fetch_add(&watch->lines, 1, __ATOMIC_RELAXED);
}

static void *open_long(void *argument)
{
    struct watch *watch = argument;
    watch->caller = pthread_self();
    watch->status = cardiac_open(&watch->sim, SAMPLE_CABLE, NULL,
                                 "{\"tissue.regions[0].initial\": {\"pace\": 20000, \"period\": 1000}}");
    return NULL;
}

static void *advance_long(void *argument)
{
    struct watch *watch = argument;
    watch->caller = pthread_self();
    watch->status = cardiac_advance(watch->sim, 1e9);
    return NULL;
}

/* Stops the call of the thread; seconds that it has taken to end */
static double stop_call(struct watch *watch, pthread_t thread)
{
    const double began = now();
    CHECK(cardiac_stop(watch->sim) == 0, "not stopped");
    pthread_join(thread, NULL);
    CHECK(watch->status == 3 && strstr(cardiac_error(watch->sim), "stopped"), "%d: %s", watch->status,
          cardiac_error(watch->sim));
    return now() - began;
}

/* From another thread: the log of a call and the time while it runs, and its end. An open that is stopped leaves
 * nothing open; steps that are stopped go on with the same bits. */
static void check_stop(void)
{
    struct watch watch = {0};
    pthread_t thread;
    double ms = 0, later, value[NODES];
    pthread_create(&thread, NULL, open_long, &watch);
    while (!__atomic_load_n(&watch.sim, __ATOMIC_ACQUIRE))
        pause_briefly();
    CHECK_API(cardiac_log(watch.sim, count_line, &watch), watch.sim);
    while (!__atomic_load_n(&watch.lines, __ATOMIC_RELAXED))
        pause_briefly();
    double seconds = stop_call(&watch, thread);
    CHECK(seconds < 1, "open ends after %g s", seconds);
    CHECK(cardiac_time(watch.sim, &ms) == 2, "it is open");
    CHECK_API(cardiac_reopen(watch.sim, SAMPLE_CABLE "threads: 2\n", "{\"solver.splitting\": \"godunov\"}"),
              watch.sim);
    CHECK_API(cardiac_reopen(watch.sim, NULL, "{\"solver.method\": \"jacobi\"}"), watch.sim);
    watch.lines = 0;
    pthread_create(&thread, NULL, advance_long, &watch);
    while (ms < 1) {
        CHECK_API(cardiac_time(watch.sim, &ms), watch.sim);
        pause_briefly();
    }
    seconds = stop_call(&watch, thread);
    CHECK(seconds < 1, "steps end after %g s", seconds);
    CHECK_API(cardiac_time(watch.sim, &ms), watch.sim);
    later = ms + 10;
    CHECK_API(cardiac_advance(watch.sim, later), watch.sim);
    CHECK_API(cardiac_get(watch.sim, "V", value, NODES), watch.sim);
    cardiac_close(watch.sim);
    struct cardiac *other;
    CHECK_API(cardiac_open(&other, SAMPLE_CABLE "threads: 2\n", NULL, "{\"solver.splitting\": \"godunov\"}"),
              other);
    CHECK_API(cardiac_reopen(other, NULL, "{\"solver.method\": \"jacobi\"}"), other);
    CHECK_API(cardiac_advance(other, later), other);
    double whole[NODES];
    CHECK_API(cardiac_get(other, "V", whole, NODES), other);
    CHECK(memcmp(value, whole, sizeof value) == 0, "the bits of steps that were stopped");
    cardiac_close(other);
}

int main(void)
{
    static struct process before;
    remember(&before);
    const double want = use_all(&before);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        setlocale(LC_ALL, "C.UTF-8");
    setenv("OMP_NUM_THREADS", "7", 1);
    omp_set_num_threads(3);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    umask(077);
    fesetround(FE_TOWARDZERO);
    _mm_setcsr(_mm_getcsr() | 0x8040);
    remember(&before);
    CHECK(use_all(&before) == want, "V depends on the caller");
    signal(SIGCHLD, SIG_DFL);
    fesetenv(FE_DFL_ENV);
    CHECK(child(use_without_output, NULL) == 0, "without standard output");
    check_fork();
    int status = child(write_too_much, NULL);
    CHECK(status == 0, "a process after a failed write: %d", status);
    unlink("full.vtkhdf");
    check_stop();
    return 0;
}
