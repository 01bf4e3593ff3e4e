/* power_cut.c: `power_cut CARDIAC INTERPOSE [images [seed]]`: what a power cut leaves of a run is resumed to
 * the same bits. A run is recorded call by call; an image is what a disk may hold after a call: of each file
 * all up to its last fsync, and of what followed any part; of the folder its names at its last fsync and the
 * first of the changes after it. Each image is read, then resumed, then compared with a run that nothing
 * happened to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/crash/record.h"
#include "tests/support/check.h"

static const char config[] =
    "version: 1\n"
    "mesh: {cable: {length: 6 mm, spacing: 0.25 mm}}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  regions:\n"
    "    - {tags: all, model: tp06-epi, conductivity: 0.133 S/m}\n"
    "stimuli:\n"
    "  - {sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}\n"
    "time: {end: 20 ms, step: 0.02 ms}\n"
    "solver: {precision: double}\n"
    "output: {directory: ref, every: 0.2 ms, fields: [V, Ca_i], probes: {end: [6 mm, 0 mm, 0 mm]}}\n"
    "checkpoint: {every: 6 ms, keep: 2}\n";

/* What is committed longer ago than this, in seconds, is not lost: a second, and what the syncs of the record
 * took; and the most that this may be on a machine that does much else */
static double window;
static const double most = 4;

/* How the changes that were not synced fare */
enum fate { ALL, NONE, FIRST, HALF, SECTORS, PAGES, FATES };
static const char *const fate_name[FATES] = {"all", "none", "first", "half", "sectors", "pages"};

struct call {
    struct record head;
    const unsigned char *data;
    const char *to;
    double luck; /* that it reached the disk */
};

struct history {
    unsigned char *bytes;
    struct call *call;
    int calls;
};

/* A file as the disk has it */
struct file {
    uint64_t inode;
    unsigned char *data;
    size_t size, room;
};

struct name {
    char path[64];
    uint64_t inode;
};

enum { NAMES = 64 };
static const char *cardiac, *interpose;

static double chance(void)
{
    return (double)rand() / ((double)RAND_MAX + 1);
}

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit status of a command; what it prints goes to the file `said` */
static int run(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    int used = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    CHECK(used > 0 && used < (int)sizeof text - 16, "a long command");
    strcat(text, " > said 2>&1");
    int status = system(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char *said(void)
{
    static char text[4096];
    FILE *in = fopen("said", "r");
    size_t size = in ? fread(text, 1, sizeof text - 1, in) : 0;
    text[size] = '\0';
    if (in)
        fclose(in);
    return text;
}

static struct history read_history(const char *path)
{
    struct history history = {0};
    FILE *in = fopen(path, "rb");
    CHECK(in && fseek(in, 0, SEEK_END) == 0, "%s", path);
    size_t size = (size_t)ftell(in), at = 0;
    rewind(in);
    history.bytes = malloc(size + 1);
    CHECK(history.bytes && fread(history.bytes, 1, size, in) == size, "%s", path);
    fclose(in);
    for (int room = 0; at < size;) {
        struct call call = {.data = history.bytes + at + sizeof call.head};
        memcpy(&call.head, history.bytes + at, sizeof call.head);
        call.to = (const char *)call.data + call.head.size;
        at += sizeof call.head + call.head.size + call.head.to;
        if (history.calls == room)
            history.call = realloc(history.call, (size_t)(room = 2 * room + 1024) * sizeof call);
        CHECK(history.call, "memory");
        history.call[history.calls++] = call;
    }
    return history;
}

static void set_size(struct file *file, size_t size)
{
    if (size > file->room) {
        file->data = realloc(file->data, file->room = 2 * size);
        CHECK(file->data, "memory");
    }
    if (size > file->size)
        memset(file->data + file->size, 0, size - file->size);
    file->size = size;
}

/* The part of a change that reached the disk: blocks of it where they fare apart, 0 = all of it */
static void apply(struct file *file, const struct call *call, size_t block)
{
    if (call->head.kind == RECORD_LENGTH)
        set_size(file, (size_t)call->head.at);
    if (call->head.kind != RECORD_WRITE)
        return;
    size_t at = (size_t)call->head.at, end = at + call->head.size;
    for (size_t from = at, to; from < end; from = to) {
        to = block ? (from / block + 1) * block : end;
        to = to < end ? to : end;
        if (block && chance() < 0.5)
            continue;
        if (to > file->size)
            set_size(file, to);
        memcpy(file->data + from, call->data + (from - at), to - from);
    }
}

/* A file with that inode after the first calls */
static struct file make_file(const struct history *history, int calls, uint64_t inode, enum fate fate)
{
    struct file file = {.inode = inode};
    int synced = -1, first;
    for (int k = 0; k < calls; k++)
        if (history->call[k].head.file == inode && history->call[k].head.kind == RECORD_SYNC)
            synced = k;
    first = synced + 1 + (int)(chance() * (calls - synced));
    for (int k = 0; k < calls; k++) {
        const struct call *call = &history->call[k];
        if (call->head.file != inode)
            continue;
        bool sure = k <= synced || fate == ALL || (fate == FIRST && k < first);
        if (sure || (fate == HALF && call->luck < 0.5))
            apply(&file, call, 0);
        else if (fate == SECTORS || fate == PAGES)
            apply(&file, call, fate == SECTORS ? 512 : 4096);
    }
    return file;
}

static int find_name(const struct name *name, const char *path)
{
    int k = 0;
    while (k < NAMES && strcmp(name[k].path, path) != 0)
        k++;
    return k;
}

/* The folder's names after the first calls */
static void make_names(const struct history *history, int calls, enum fate fate, struct name *name)
{
    int synced = -1;
    for (int k = 0; k < calls; k++) {
        bool of_file = false;
        if (history->call[k].head.kind != RECORD_SYNC)
            continue;
        for (int j = 0; j < k && !of_file; j++)
            of_file = history->call[j].head.kind == RECORD_CREATE &&
                      history->call[j].head.file == history->call[k].head.file;
        synced = of_file ? synced : k;
    }
    int end = fate == ALL    ? calls
              : fate == NONE ? synced + 1
                             : synced + 1 + (int)(chance() * (calls - synced));
    memset(name, 0, NAMES * sizeof *name);
    for (int k = 0; k < end; k++) {
        const struct call *call = &history->call[k];
        const char *path = (const char *)call->data;
        if (call->head.kind == RECORD_CREATE) {
            int at = find_name(name, path);
            at = at < NAMES ? at : find_name(name, "");
            CHECK(at < NAMES && strlen(path) < sizeof name->path, "%s", path);
            strcpy(name[at].path, path);
            name[at].inode = call->head.file;
        } else if (call->head.kind == RECORD_UNLINK) {
            int at = find_name(name, path);
            if (at < NAMES)
                name[at].path[0] = '\0';
        } else if (call->head.kind == RECORD_RENAME) {
            int to = find_name(name, call->to), from = find_name(name, path);
            if (from == NAMES)
                continue;
            if (to < NAMES)
                name[to].path[0] = '\0';
            strcpy(name[from].path, call->to);
        }
    }
}

/* Writes the folder as `img` for `rec` */
static void make_image(const struct history *history, int calls, enum fate fate)
{
    struct name name[NAMES];
    make_names(history, calls, fate, name);
    CHECK(system("rm -rf img; mkdir img") == 0, "img");
    for (int k = 0; k < NAMES; k++) {
        char path[80] = "img";
        if (!name[k].path[0])
            continue;
        strcat(path, name[k].path + strlen("rec"));
        struct file file = make_file(history, calls, name[k].inode, fate);
        FILE *out = fopen(path, "wb");
        CHECK(out && fwrite(file.data, 1, file.size, out) == file.size && fclose(out) == 0, "%s", path);
        free(file.data);
    }
}

/* Frames that `cardiac info` finds in the image, 0 if it finds no result */
static int frames(void)
{
    int status = run("%s info img/run.vtkhdf", cardiac), count = 0;
    CHECK(status == 0 || status == 2, "info ended with %d: %s", status, said());
    const char *line = strstr(said(), "\nframes ");
    return status == 0 && line && sscanf(line, " frames %d", &count) == 1 ? count : 0;
}

static bool has_checkpoint(void)
{
    bool found = false;
    DIR *directory = opendir("img");
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        found |=
            strncmp(entry->d_name, "checkpoint-", 11) == 0 && strcmp(entry->d_name + length - 3, ".h5") == 0;
    }
    closedir(directory);
    return found;
}

struct tally {
    int equal, kept, fresh; /* resumed equal; a broken result kept beside; no checkpoint yet: begun anew */
};

static void check_cut(const struct history *history, int calls, enum fate fate, struct tally *tally)
{
    int before = calls;
    while (before > 0 && history->call[before - 1].head.time > history->call[calls - 1].head.time - window)
        before--;
    make_image(history, before, ALL);
    int committed = frames();
    make_image(history, calls, fate);
    int whole = frames();
    bool checkpoint = has_checkpoint();
    CHECK(whole >= committed, "call %d, %s: %d frames, %d were there %g s before", calls, fate_name[fate],
          whole, committed, window);
    int status = run("%s run a.yaml --output img --resume", cardiac);
    CHECK(status == 0, "call %d, %s: resumed with status %d: %s", calls, fate_name[fate], status, said());
    tally->fresh += !checkpoint;
    bool kept = access("img/run.vtkhdf.broken", F_OK) == 0;
    CHECK(!kept || strstr(said(), "run.vtkhdf.broken"), "a broken result is kept and nothing is said");
    tally->kept += kept;
    if (kept)
        return;
    status = run("%s compare ref/run.vtkhdf img/run.vtkhdf --tolerance 0", cardiac);
    CHECK(status == 0, "call %d, %s: the result differs: %s", calls, fate_name[fate], said());
    status = run("%s compare ref/checkpoint-900.h5 img/checkpoint-900.h5 --tolerance 0", cardiac);
    CHECK(status == 0, "call %d, %s: the checkpoint differs: %s", calls, fate_name[fate], said());
    CHECK(run("cmp ref/probes.csv img/probes.csv") == 0, "call %d, %s: probes.csv: %s", calls,
          fate_name[fate], said());
    tally->equal++;
}

/* window <- the longest time from one sync of the result to the next, a little more */
static void find_window(const struct history *history)
{
    double last = 0, shortest = 1e9, longest = 0;
    uint64_t result = 0;
    for (int k = 0; k < history->calls; k++) {
        const struct record *head = &history->call[k].head;
        if (head->kind == RECORD_CREATE &&
            strcmp((const char *)history->call[k].data, "rec/run.vtkhdf.new") == 0)
            result = head->file;
        if (head->kind != RECORD_SYNC || head->file != result || head->time - last < 0.3)
            continue;
        if (last > 0)
            shortest = fmin(shortest, head->time - last), longest = fmax(longest, head->time - last);
        last = head->time;
    }
    printf("syncs of the result %.2f to %.2f s apart, those before checkpoints included\n", shortest,
           longest);
    window = longest + 0.1;
}

/* A run, recorded; once more where it stood still for want of a core, which is not its own doing */
static struct history recorded(void)
{
    for (int round = 1;; round++) {
        CHECK(run("rm -rf rec record; LD_PRELOAD=%s CRASH_DIRECTORY=rec CRASH_RECORD=record CRASH_SLOW=4000 "
                  "%s run a.yaml --output rec",
                  interpose, cardiac) == 0,
              "%s", said());
        struct history history = read_history("record");
        double took = history.call[history.calls - 1].head.time - history.call[0].head.time;
        printf("%d calls in %.1f s\n", history.calls, took);
        CHECK(took > 2, "a run of %g s has hardly a sync", took);
        find_window(&history);
        if (window < most)
            return history;
        CHECK(round < 10, "%g s without a sync", window);
        free(history.bytes);
        free(history.call);
    }
}

int main(int argc, char **argv)
{
    CHECK(argc > 2, "usage: power_cut CARDIAC INTERPOSE [images [seed]]");
    int images = argc > 3 ? atoi(argv[3]) : 60;
    unsigned seed = argc > 4 ? (unsigned)atoi(argv[4]) : (unsigned)getpid();
    /* memory, where it may be written: what a disk may hold is made up here */
    char folder[PATH_MAX] = "/dev/shm/power_cut.XXXXXX";
    struct tally tally = {0};
    cardiac = argv[1];
    interpose = argv[2];
    printf("seed %u\n", seed);
    fflush(stdout);
    srand(seed);
    if (access("/dev/shm", W_OK) != 0)
        CHECK(realpath(".", folder) && strcat(folder, "/power_cut.XXXXXX"), "no folder");
    CHECK(mkdtemp(folder) && chdir(folder) == 0, "%s", folder);
    FILE *out = fopen("a.yaml", "w");
    CHECK(out && fputs(config, out) >= 0 && fclose(out) == 0, "a.yaml");
    CHECK(setenv("OMP_NUM_THREADS", "1", 1) == 0, "setenv");
    CHECK(run("%s run a.yaml", cardiac) == 0, "%s", said());
    struct history history = recorded();
    for (int k = 0; k < images; k++) {
        for (int c = 0; c < history.calls; c++)
            history.call[c].luck = chance();
        check_cut(&history, 1 + (int)(chance() * history.calls), (enum fate)(k % FATES), &tally);
        if (k % 100 == 99)
            printf("%d images: %d equal\n", k + 1, tally.equal), fflush(stdout);
    }
    printf("%d images: %d resumed equal (%d of them from the beginning), %d with the broken result kept\n",
           images, tally.equal, tally.fresh, tally.kept);
    CHECK(tally.equal + tally.kept == images, "the rest");
    free(history.bytes);
    free(history.call);
    fflush(stdout);
    CHECK(chdir("/") == 0 && execlp("rm", "rm", "-r", folder, NULL) == 0, "%s", folder);
}
