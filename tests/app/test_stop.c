/* test_stop.c: what ends a run early: signals, durations as users write them, when the last stimulus ends,
 * and what counts as activated or quiet. */
#include "app/run/stop.h"
#include "kernels/base/clock.h"
#include "tests/support/check.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void test_durations(void)
{
    const struct {
        const char *text;
        double seconds; /* 0 = refused */
    } cases[] = {{"3h50m", 13800}, {"90s", 90},      {"600", 600},  {"1.5h", 5400},
                 {"1d2h", 93600},  {"45m30s", 2730}, {"2m30", 150}, {"", 0},
                 {"0", 0},         {"-5", 0},        {"5x", 0},     {"5m3h", 0},
                 {"5s5s", 0},      {"3h 50m", 0},    {"inf", 0},    {"1e999", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double seconds = 0;
        bool good = stop_parse_duration(cases[k].text, &seconds);
        CHECK(good == (cases[k].seconds > 0), "'%s' is %s", cases[k].text, good ? "read" : "refused");
        CHECK(!good || seconds == cases[k].seconds, "'%s' is %g s", cases[k].text, seconds);
    }
}

static void test_last_stimulus(void)
{
    const double delay[] = {3, 30, 0};
    struct stimulus stimulus[] = {{.start = 5, .duration = 2, .count = 1},
                                  {.start = 1, .duration = 0.5, .count = 3, .period = 100},
                                  {.start = 250, .duration = 2, .nodes = 3, .count = 1, .delay = delay}};
    const double ends[] = {0, 7, 201.5, 282};
    for (int s = 0; s <= 3; s++)
        CHECK(stop_last_stimulus(stimulus, s) == ends[s], "%d: %g ms", s, stop_last_stimulus(stimulus, s));
    stimulus[1].count = 0;
    CHECK(stop_last_stimulus(stimulus, 3) == INFINITY, "for ever: %g ms", stop_last_stimulus(stimulus, 3));
}

static void test_conditions(void)
{
    const double rest[3] = {-85, -84.5, -86}, later[3] = {-85.005, -84.495, -86},
                 moved[3] = {-85, -84.48, -86};
    const double high[3] = {-85, 3, -86}, unknown[3] = {NAN, NAN, NAN};
    const double all[6] = {1, NAN, 2, 9, 3, NAN}, some[6] = {1, NAN, NAN, NAN, NAN, NAN};
    const double none[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    CHECK(stop_activated(all, 3, 2, 1), "all activated");
    CHECK(!stop_activated(all, 3, 2, 2), "one activated twice");
    CHECK(stop_activated(all + 2, 1, 2, 2), "that one");
    CHECK(!stop_activated(some, 3, 2, 1), "one activated");
    double thresholds[2][2] = {{0, -40}, {10, -40}};
    const struct problem problem = {.mesh.nodes = 3, .params.regions = 2, .thresholds = thresholds};
    const int32_t region[3] = {0}, higher[3] = {0, 1, 2};
    CHECK(stop_quiet(&problem, region, rest, later, some, 2), "quiet");
    CHECK(!stop_quiet(&problem, region, rest, rest, none, 2), "nothing has happened yet");
    CHECK(!stop_quiet(&problem, region, rest, moved, all, 2), "0.02 mV a look");
    CHECK(!stop_quiet(&problem, region, high, high, all, 2), "above the threshold");
    CHECK(stop_quiet(&problem, higher, high, high, all, 2), "below that of its region");
    CHECK(!stop_quiet(&problem, region, rest, unknown, all, 2), "the first look after a start");
}

static void wait_seconds(double seconds)
{
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&pause, NULL);
}

/* The exit status of a process that catches signals and gets `first` and, after a pause, `second`; 200 = it
 * goes on and has noted the first, 201 = it goes on and has not */
static int end_of(bool stepping, int first, double pause, int second)
{
    pid_t child = fork();
    if (child == 0) {
        CHECK(freopen("/dev/null", "w", stderr), "no /dev/null");
        stop_catch_signals();
        if (stepping)
            stop_begin_steps();
        raise(first);
        wait_seconds(pause);
        raise(second);
        _exit(stop_signal() == first ? 200 : 201);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status), "signal %d ends it", first);
    return WEXITSTATUS(status);
}

/* The same without a pause; what took as long as a pause was one, on a machine that does much else */
static int end_at_once(bool stepping, int first, int second)
{
    for (;;) {
        double began = clock_seconds();
        int end = end_of(stepping, first, 0, second);
        if (clock_seconds() - began < 1)
            return end;
    }
}

static void test_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
        signal(signals[k], SIG_DFL);
        CHECK(end_of(false, signals[k], 0, SIGTERM) == STATUS_RUN, "signal %d in the set-up", signals[k]);
        CHECK(end_at_once(true, signals[k], SIGTERM) == 200, "signal %d and another at once", signals[k]);
    }
    CHECK(end_of(true, SIGTERM, 1.05, SIGINT) == 128 + SIGINT, "a second one, a second later");
    CHECK(end_of(true, SIGXCPU, 1.05, SIGXCPU) == 200, "XCPU, which the kernel repeats");
    signal(SIGHUP, SIG_IGN);
    CHECK(end_of(false, SIGHUP, 0, SIGHUP) == 201, "HUP under nohup");
    CHECK(end_of(true, SIGPIPE, 0, SIGPIPE) == 201, "nobody reads any more");
}

int main(void)
{
    test_signals();
    test_durations();
    test_last_stimulus();
    test_conditions();
    CHECK(stop_signal() == 0, "a signal out of nowhere");
    printf("durations, the last stimulus and stop conditions hold\n");
    return 0;
}
