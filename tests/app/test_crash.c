/* test_crash.c: a result survives its program. A child appends frames and is killed at a random moment, or
 * its disk (a limit on the size of files) is full: the file opens, every committed frame is right, a resumed
 * run completes it. What it left for another file than the one that stands there is refused.
 * `test_crash [seed [rounds]]` */
#include "app/io/result/output.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "app/io/store/h5.h"
#include "app/io/result/result.h"
#include "tests/support/mesh_sample.h"

enum { FRAMES = 60 };

static const char path[] = "test_crash.vtkhdf", sidecar[] = "test_crash.xdmf";
static const struct output_field fields[2] = {{"V", "mV", false}, {"Cai", "mM", true}};
static const struct output_map maps[1] = {{"activation_time", "ms", 1}};

/* Shared with the child: the frames it saw committed. */
static volatile int *committed;

/* Writes at a place until the child kills itself, 0 = never. */
static int writes_left;

/* Stands in for the C library's. */
ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    if (writes_left > 0 && --writes_left == 0)
        kill(getpid(), SIGKILL);
    return syscall(SYS_pwrite64, file, data, size, at);
}

static double truth(int f, int k, int64_t i)
{
    return (double)(float)(sin(0.1 * (double)i + k) * 50 + f);
}

static struct output_params params(const struct mesh *mesh, int deflate)
{
    return (struct output_params){.path = path,
                                  .mesh = mesh,
                                  .field = fields,
                                  .fields = 2,
                                  .map = maps,
                                  .maps = 1,
                                  .config = "version: 1\n",
                                  .program = "cardiac",
                                  .libraries = "",
                                  .device = "",
                                  .deflate = deflate};
}

/* Appends frames first .. end - 1; returns what stopped it. */
static enum status write_until(const struct mesh *mesh, struct output *out, int first, int end,
                               struct error *error)
{
    double *value[2];
    enum status status = STATUS_OK;
    for (int f = 0; f < 2; f++)
        value[f] = malloc((size_t)mesh->nodes * sizeof(double));
    for (int k = first; k < end && !status; k++) {
        for (int f = 0; f < 2; f++)
            for (int64_t i = 0; i < mesh->nodes; i++)
                value[f][i] = truth(f, k, i);
        if (k % 7 == 3)
            status = output_map(out, 0, value[0], k, error);
        if (!status)
            status = output_append(out, k, (const double *const *)value, error);
        if (!status)
            *committed = k + 1;
        if (!status && k % 9 == 5)
            status = output_sync(out, error);
    }
    free(value[0]);
    free(value[1]);
    return status;
}

static enum status write_frames(const struct mesh *mesh, struct output *out, int first, struct error *error)
{
    return write_until(mesh, out, first, FRAMES, error);
}

/* Opens the file as a viewer does; returns its whole frames, each of them compared. */
static int check_frames(const struct mesh *mesh)
{
    static const char *const names[2] = {"/VTKHDF/PointData/V", "/VTKHDF/PointData/Cai"};
    struct error error = {0};
    struct h5_file file;
    struct h5_array times, data;
    int64_t steps = -1;
    CHECK_OK(h5_open(&file, path, false, &error), error);
    CHECK(h5_get_integer(&file, "/VTKHDF/Steps", "NSteps", &steps), "no NSteps");
    CHECK_OK(h5_array_open(&times, &file, "/frames/times", true, 1, &error), error);
    CHECK(steps <= times.values, "%d steps are shown, %d committed", (int)steps, (int)times.values);
    double *value = malloc((size_t)mesh->nodes * sizeof *value), time[FRAMES + 1];
    CHECK(times.values <= FRAMES, "%d times", (int)times.values);
    CHECK_OK(h5_array_read(&times, &file, "Values", H5T_NATIVE_DOUBLE, time, &error), error);
    for (int f = 0; f < 2; f++) {
        CHECK_OK(h5_array_open(&data, &file, names[f], true, 1, &error), error);
        for (int k = 0; k < (int)times.values; k++) {
            CHECK(time[k] == k, "time %d is %g", k, time[k]);
            CHECK_OK(h5_array_slice(&data, &file, names[f], H5T_NATIVE_DOUBLE, k * mesh->nodes, mesh->nodes,
                                    value, &error),
                     error);
            for (int64_t i = 0; i < mesh->nodes; i++)
                CHECK(value[i] == truth(f, k, i), "%s frame %d node %d: %g", names[f], k, (int)i, value[i]);
        }
        h5_array_close(&data);
    }
    int whole = (int)times.values;
    free(value);
    h5_array_close(&times);
    h5_close(&file, NULL);
    return whole;
}

/* All that follows a crash: what is there is right, nothing committed is lost, a resume completes it. */
static void after(const struct mesh *mesh, int deflate)
{
    struct error error = {0};
    struct output *out;
    int seen = *committed, whole = check_frames(mesh);
    CHECK(whole >= seen, "%d frames were committed, %d are there", seen, whole);
    struct output_params p = params(mesh, deflate);
    int back = whole > 5 ? whole - 5 : 0; /* the checkpoint lies some frames back */
    CHECK_OK(output_resume(&out, &p, back - 1, true, &error), error);
    CHECK(output_resumed(out).kept == back, "kept %d", (int)output_resumed(out).kept);
    CHECK_OK(write_frames(mesh, out, back, &error), error);
    CHECK(output_resumed(out).equal == whole - back, "equal %d", (int)output_resumed(out).equal);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    CHECK(check_frames(mesh) == FRAMES, "not complete");
}

static struct output *create(const struct mesh *mesh, int deflate)
{
    struct error error = {0};
    struct output *out;
    struct output_params p = params(mesh, deflate);
    *committed = 0;
    CHECK_OK(output_create(&out, &p, true, &error), error);
    return out;
}

/* The child's work, ended by a signal from outside after `pause` microseconds of writing. */
static void kill_at(const struct mesh *mesh, int deflate, int pause)
{
    int ready[2], status;
    char byte;
    CHECK(pipe(ready) == 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        struct error error = {0};
        struct output *out = create(mesh, deflate);
        if (write(ready[1], "x", 1) != 1)
            _exit(2);
        _exit(write_frames(mesh, out, 0, &error) ? 3 : 0);
    }
    CHECK(child > 0 && read(ready[0], &byte, 1) == 1, "the child did not start");
    struct timespec wait = {0, pause * 1000L};
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child, "no child");
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "the child ended with %d", WEXITSTATUS(status));
    close(ready[0]);
    close(ready[1]);
    after(mesh, deflate);
}

/* A program that is killed at any write of a new result leaves none, or a whole one without frames; returns
 * how many writes there were. */
static int kill_new(const struct mesh *mesh)
{
    int status = -1, writes = 0;
    for (bool whole = false; status != 0; writes++) {
        unlink(path);
        unlink(sidecar);
        pid_t child = fork();
        if (child == 0) {
            writes_left = writes + 1;
            create(mesh, 0);
            _exit(0);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
        struct error error = {0};
        struct result result;
        bool there = access(path, F_OK) == 0;
        CHECK(there || !whole, "there after %d writes, gone after %d", writes, writes + 1);
        whole = there;
        if (there) {
            CHECK_OK(result_open(&result, path, &error), error);
            CHECK(result.frames == 0 && result.arrays > 3, "%d arrays", result.arrays);
            result_close(&result);
        }
    }
    CHECK(access(path, F_OK) == 0, "no result");
    return writes - 1;
}

/* The child's files may not grow beyond `bytes`: it must fail with a message, then resume must work. */
static void full_at(const struct mesh *mesh, int deflate, long bytes)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct error error = {0};
        struct output *out = create(mesh, deflate);
        struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
        signal(SIGXFSZ, SIG_IGN);
        CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
        CHECK(write_frames(mesh, out, 0, &error) == STATUS_RUN, "a full disk went unseen");
        CHECK(strstr(error.text, strerror(EFBIG)), "%s", error.text);
        output_close(out, NULL, 0, NULL);
        exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x", status);
    after(mesh, deflate);
}

struct bytes {
    unsigned char *data;
    size_t size;
};

static struct bytes slurp(const char *name)
{
    FILE *in = fopen(name, "rb");
    CHECK(in && fseek(in, 0, SEEK_END) == 0, "%s", name);
    struct bytes bytes = {NULL, (size_t)ftell(in)};
    rewind(in);
    bytes.data = malloc(bytes.size + 1);
    CHECK(fread(bytes.data, 1, bytes.size, in) == bytes.size, "%s", name);
    fclose(in);
    return bytes;
}

static void spit(const char *name, struct bytes bytes)
{
    FILE *out = fopen(name, "wb");
    CHECK(out && fwrite(bytes.data, 1, bytes.size, out) == bytes.size && fclose(out) == 0, "%s", name);
}

static const char journal[] = "test_crash.vtkhdf.journal";

/* A result as older versions wrote it, without a block before HDF5's own */
static struct bytes unnamed(struct bytes whole)
{
    return (struct bytes){whole.data + 512, whole.size - 512};
}

/* A file that the journal is not of: neither applied nor removed, whoever opens it. */
static void refuse(struct bytes other, struct bytes log, const char *text)
{
    struct error error = {0};
    struct h5_file file;
    spit(path, other);
    spit(journal, log);
    for (int write = 0; write < 2; write++) {
        CHECK(h5_open(&file, path, write, &error) == STATUS_INPUT && strstr(error.text, text), "%s",
              error.text);
        struct bytes now = slurp(path), left = slurp(journal);
        CHECK(now.size == other.size && !memcmp(now.data, other.data, now.size), "the file has changed");
        CHECK(left.size == log.size && !memcmp(left.data, log.data, log.size), "the journal has changed");
        free(now.data);
        free(left.data);
    }
}

/* An older state of the file, or one that went on apart: refused, or as whole as it was */
static void harmless(const struct mesh *mesh, struct bytes other, struct bytes log, int frames)
{
    struct error error = {0};
    struct h5_file file;
    spit(path, other);
    spit(journal, log);
    if (h5_open(&file, path, false, &error)) {
        CHECK(strstr(error.text, "another copy of test_crash.vtkhdf"), "%s", error.text);
        return;
    }
    CHECK_OK(h5_close(&file, &error), error);
    int whole = check_frames(mesh);
    CHECK(whole >= frames, "%d frames of %d", whole, frames);
}

/* A writer killed at the n-th write after it went on with `from`, frames `first` and later missing; returns
 * whether a record was left. */
static bool kill_at_write(const struct mesh *mesh, struct bytes from, int first, int n)
{
    struct error error = {0};
    struct output *out;
    struct output_params p = params(mesh, 1);
    struct stat info;
    int status;
    spit(path, from);
    unlink(journal);
    *committed = first;
    pid_t child = fork();
    if (child == 0) {
        writes_left = n;
        _exit(output_resume(&out, &p, first - 1, true, &error) || write_frames(mesh, out, first, &error));
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
    CHECK(WIFSIGNALED(status), "the child ended with %x", status);
    return stat(journal, &info) == 0 && info.st_size > 0;
}

/* A new result of the frames before `end` */
static struct bytes written(const struct mesh *mesh, int end)
{
    struct error error = {0};
    struct output *out = create(mesh, 1);
    CHECK_OK(write_until(mesh, out, 0, end, &error), error);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    return slurp(path);
}

/* A journal is of one file at one time: beside another run's result, an older copy of its own or one that was
 * continued apart it is refused, and the file that it is of is completed whatever the clock says. */
static void replayed(const struct mesh *mesh)
{
    enum { HALF = 20 };
    struct bytes all = written(mesh, FRAMES), half = written(mesh, HALF);
    for (int round = 0, found = 0; found < 12; round++) {
        bool named = found < 8;
        struct bytes other = named ? all : unnamed(all), older = named ? half : unnamed(half);
        int n = 5 + rand() % 120;
        CHECK(round < 400, "%d journals in %d rounds", found, round);
        if (!kill_at_write(mesh, older, HALF, n))
            continue;
        struct bytes apart = slurp(path);
        CHECK(kill_at_write(mesh, older, HALF, n), "the same writes left no journal");
        struct bytes torn = slurp(path), log = slurp(journal);
        refuse(other, log, "another copy of test_crash.vtkhdf");
        harmless(mesh, older, log, HALF);
        harmless(mesh, apart, log, HALF);
        apart.data[apart.size - 1] ^= 1; /* as if the clock had moved on between the two */
        harmless(mesh, apart, log, HALF);
        /* One that is not whole was never begun to be applied. */
        log.data[100] ^= 1;
        spit(path, other);
        spit(journal, log);
        CHECK(check_frames(mesh) == FRAMES, "a damaged journal was applied");
        log.data[100] ^= 1;
        spit(path, torn);
        spit(journal, log);
        CHECK(utimensat(AT_FDCWD, found % 2 ? path : journal, (struct timespec[2]){{1, 0}, {1, 0}}, 0) == 0,
              "time");
        after(mesh, 1);
        free(apart.data);
        free(torn.data);
        free(log.data);
        found++;
    }
    struct {
        char magic[16];
        uint64_t bytes, crc, end, at, size, data;
    } unsure = {"cardiac journal", 24, 0, 1024, 512, 8, 7};
    unsure.crc = crc32_z(0, (void *)&unsure.at, unsure.bytes);
    refuse(all, (struct bytes){(unsigned char *)&unsure, sizeof unsure}, "written by an older version");
    unlink(journal);
    free(all.data);
    free(half.data);
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)getpid();
    int rounds = argc > 2 ? atoi(argv[2]) : 8;
    printf("seed %u\n", seed);
    fflush(stdout);
    srand(seed);
    committed = mmap(NULL, sizeof *committed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(committed != MAP_FAILED, "mmap");
    struct mesh mesh = mesh_sample_box(9, 7, 5);
    omp_set_num_threads(1); /* a forked child has no threads of its parent's pool */
    H5open();               /* as a program does that asks for the library's version first */
    const int writes = kill_new(&mesh);
    CHECK(writes > 5, "%d writes of a new result", writes);
    printf("killed at each of %d writes of a new result\n", writes);
    fflush(stdout);
    replayed(&mesh);
    for (int r = 0; r < rounds; r++)
        kill_at(&mesh, r % 2 ? 1 : 0, rand() % 60000);
    for (int r = 0; r < rounds / 2; r++)
        full_at(&mesh, r % 2 ? 1 : 0, 160000 + rand() % (r % 2 ? 150000 : 300000));
    mesh_free(&mesh);
    unlink(path);
    unlink(sidecar);
    return 0;
}
