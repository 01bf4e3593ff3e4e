/* test_watch.c: a silence ends with what is being done: in pre-pacing, fronts and the steps of a sweep's run; in no other
 * thread, and not where enough is printed. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/study/study.h"
#include "app/util/progress.h"
#include "app/util/watch.h"
#include "tests/support/check.h"

static const char path[] = "test_watch.txt";
static int kept = -1;

static void begin_capture(void)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fflush(stderr);
    kept = dup(STDERR_FILENO);
    CHECK(file >= 0 && kept >= 0 && dup2(file, STDERR_FILENO) >= 0, "%s", path);
    close(file);
}

/* text[size] <- what standard error got */
static void end_capture(char *text, size_t size)
{
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    FILE *file = fopen(path, "r");
    CHECK(file, "%s", path);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void sleep_ms(int ms);

/* Waits until it was printed; a busy machine may take its time. */
static void wait_for(const char *line)
{
    char text[1 << 16];
    for (int k = 0; k < 6000; k++) {
        FILE *file = fopen(path, "r");
        CHECK(file, "%s", path);
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        if (strstr(text, line))
            return;
        sleep_ms(10);
    }
    dup2(kept, STDERR_FILENO);
    CHECK(false, "'%s' is not printed: %s", line, text);
}

static void sleep_ms(int ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

static void *elsewhere(void *argument)
{
    watch_now("of another thread");
    watch_name("of another thread");
    watch_printed();
    watch_end();
    return argument;
}

static void check_lines(void)
{
    char text[1 << 16];
    pthread_t thread;
    struct progress *progress;
    struct error error = {0};
    CHECK_OK(progress_open(&progress, NULL, false, PROGRESS_QUIET, &error), error);
    begin_capture();
    watch_begin(0.1);
    watch_name("run %d: ", 2);
    watch_now("beat %d of %d", 3, 50);
    CHECK(pthread_create(&thread, NULL, elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0, "a thread");
    wait_for("cardiac: run 2: beat 3 of 50");
    progress_start(progress, 0, 60, 0);
    wait_for("\ncardiac: run 2: stepping from 0 to 60 ms (2 s)\n");
    progress_step(progress, 12, 600);
    wait_for("\ncardiac: run 2: 12 of 60 ms (20.0 %), ");
    watch_end();
    progress_close(progress);
    watch_now("after the end");
    end_capture(text, sizeof text);
    CHECK(!strstr(text, "thread") && !strstr(text, "after the end"), "%s", text);
    begin_capture();
    watch_begin(1000);
    sleep_ms(20);
    watch_end();
    end_capture(text, sizeof text);
    CHECK(!*text, "%s", text);
}

static void check_study(void)
{
    static const char config[] =
        "version: 1\n"
        "mesh: {cable: {length: 60 mm, spacing: 0.1 mm}}\n"
        "tissue:\n"
        "  surface_to_volume: 1400 /cm\n"
        "  regions: [{tags: all, model: tp06-epi, velocity: 0.5 m/s, initial: {pace: 4, period: 500 ms}}]\n"
        "stimuli: [{where: x < 2 mm, duration: 1 ms, current: 50 uA/uF}]\n"
        "sweep: {time.end: [100 ms]}\n"
        "time: {end: 1 ms, step: 0.02 ms}\n"
        "output: {every: 100 ms}\n";
    char folder[] = "test_watch.XXXXXX", cache[4096], *text = malloc(1 << 20);
    struct study_request request = {.config = "test_watch.yaml",
                                    .directory = folder,
                                    .quiet = true,
                                    .overwrite = true,
                                    .stop_after = INFINITY};
    struct study study;
    struct error error = {0};
    FILE *file = fopen(request.config, "w");
    CHECK(file && fputs(config, file) >= 0 && fclose(file) == 0, "%s", request.config);
    CHECK(mkdtemp(folder), "%s", folder);
    CHECK(realpath(folder, cache), "%s", folder);
    setenv("XDG_CACHE_HOME", cache, 1); /* nothing is paced or measured yet */
    begin_capture();
    watch_begin(0); /* each text */
    const enum status status =
        study_open(&study, &request, NULL, &error) ? error.status : study_make(&study, &error);
    watch_end();
    end_capture(text, 1 << 20);
    study_free(&study);
    CHECK(status == STATUS_OK, "%s\n%s", error.text, text);
    CHECK(strstr(text, "cardiac: run 1: pacing a cell of tp06-epi: beat "), "%s", text);
    CHECK(strstr(text, "cardiac: run 1: measuring fronts: region 0 in every direction"), "%s", text);
    CHECK(strstr(text, "cardiac: run 1: stepping from 0 to 100 ms"), "%s", text);
    free(text);
}

int main(void)
{
    check_lines();
    check_study();
    return 0;
}
