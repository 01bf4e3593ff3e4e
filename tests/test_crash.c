/* test_crash.c: a result survives its program. A child appends frames and is killed at a random moment, or
 * its disk (a limit on the size of files) is full: the file opens, every committed frame is right, a resumed
 * run completes it. `test_crash [seed [rounds]]` */
#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "app/h5.h"
#include "tests/check.h"
#include "tests/test_mesh.h"

enum { FRAMES = 60 };

static const char path[] = "test_crash.vtkhdf", sidecar[] = "test_crash.xdmf";
static const struct output_field fields[2] = {{"V", "mV", false, 0}, {"Cai", "mM", true, 0}};
static const struct output_map maps[1] = {{"activation_time", "ms", 1}};

/* Shared with the child: the frames it saw committed. */
static volatile int *committed;

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
                                  .deflate = deflate,
                                  .threads = 1};
}

/* Appends frames from the first that is missing after `from` ms; returns what stopped it. */
static enum status write_frames(const struct mesh *mesh, struct output *out, int first, struct error *error)
{
    double *value[2];
    enum status status = STATUS_OK;
    for (int f = 0; f < 2; f++)
        value[f] = malloc((size_t)mesh->nodes * sizeof(double));
    for (int k = first; k < FRAMES && !status; k++) {
        for (int f = 0; f < 2; f++)
            for (int64_t i = 0; i < mesh->nodes; i++)
                value[f][i] = truth(f, k, i);
        if (k % 7 == 3)
            status = output_map(out, 0, value[0], k, error);
        if (!status)
            status = output_append(out, k, (const double *const *)value, error);
        if (!status)
            *committed = k + 1;
    }
    free(value[0]);
    free(value[1]);
    return status;
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
    CHECK_OK(h5_array_open(&times, &file, "/VTKHDF/Steps/Values", true, 1, &error), error);
    CHECK(times.values <= steps && times.values >= steps - 1, "%d times, %d steps", (int)times.values,
          (int)steps);
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

static unsigned char *slurp(long *size)
{
    FILE *in = fopen(path, "rb");
    CHECK(in && fseek(in, 0, SEEK_END) == 0, "%s", path);
    *size = ftell(in);
    rewind(in);
    unsigned char *bytes = malloc((size_t)*size);
    CHECK(fread(bytes, 1, (size_t)*size, in) == (size_t)*size, "%s", path);
    fclose(in);
    return bytes;
}

static void spit(const char *name, const void *head, size_t head_size, const unsigned char *bytes, long size)
{
    FILE *out = fopen(name, "wb");
    CHECK(out && fwrite(head, 1, head_size, out) == head_size &&
              fwrite(bytes, 1, (size_t)size, out) == (size_t)size && fclose(out) == 0,
          "%s", name);
}

/* A writer killed while its flush goes into the file, of whose old part every second 512 bytes are new: the
 * journal completes it. One that is damaged, or older than the file, is left aside. */
static void replayed(const struct mesh *mesh)
{
    struct error error = {0};
    long before, after_size;
    struct output *out = create(mesh, 0);
    double *v = calloc((size_t)mesh->nodes, sizeof *v);
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < mesh->nodes; i++)
            v[i] = truth(0, k, i);
        CHECK_OK(output_append(out, k, (const double *const[2]){v, v}, &error), error);
        if (k == 0)
            free(slurp(&before));
    }
    free(v);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    unsigned char *bytes = slurp(&after_size), *torn = malloc((size_t)after_size);
    memcpy(torn, bytes, (size_t)after_size);
    for (long at = 0; at < before; at += 1024)
        memset(torn + at, 0xee, (size_t)(before - at < 512 ? before - at : 512));
    struct {
        char magic[16];
        uint64_t bytes, crc, end, at, size;
    } head = {"cardiac journal", 16 + (uint64_t)before, 0, (uint64_t)before, 0, (uint64_t)before};
    head.crc = crc32_z(crc32_z(0, (void *)&head.at, 16), bytes, (size_t)before);
    for (int turn = 0; turn < 3; turn++) {
        struct h5_file file;
        head.crc += turn == 1;
        spit(path, &head, 0, torn, after_size);
        spit("test_crash.vtkhdf.journal", &head, sizeof head, bytes, before);
        head.crc -= turn == 1;
        if (turn == 2)
            CHECK(utimensat(AT_FDCWD, "test_crash.vtkhdf.journal", (struct timespec[2]){{1, 0}, {1, 0}}, 0) ==
                      0,
                  "time");
        enum status status = h5_open(&file, path, turn == 0 && rand() % 2, &error);
        CHECK(turn ? status == STATUS_INPUT : status == STATUS_OK, "turn %d: %s", turn, error.text);
        int64_t steps = 0;
        CHECK(turn || (h5_get_integer(&file, "/VTKHDF/Steps", "NSteps", &steps) && steps == 2), "steps");
        h5_close(&file, NULL);
    }
    unlink("test_crash.vtkhdf.journal");
    free(bytes);
    free(torn);
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)getpid();
    int rounds = argc > 2 ? atoi(argv[2]) : 30;
    printf("seed %u\n", seed);
    fflush(stdout);
    srand(seed);
    committed = mmap(NULL, sizeof *committed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(committed != MAP_FAILED, "mmap");
    struct mesh mesh = test_mesh(9, 7, 5);
    omp_set_num_threads(1); /* a forked child has no threads of its parent's pool */
    H5open();               /* as a program does that asks for the library's version first */
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
