/* test_checkpoint.c: a checkpoint gives back every bit, through a tissue whose variables stand here; each
 * byte of the file that matters is guarded; the newest good one is found; strangers are refused. */
#include "app/io/checkpoint/checkpoint.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/checkpoint/checkpoint_monodomain.h"
#include "app/problem/initial.h"
#include "app/io/store/digest.h"
#include "app/io/result/output.h"
#include "solver/step/snapshot.h"
#include "tests/support/mesh_sample.h"

enum { NODES = 37, VARIABLES = 6, FOLLOWED = 14 };

static const char directory[] = "test_checkpoint.d";

/* A tissue that is only its variables: two model groups, a state in fp32, a map of two beats, some nodes
 * whose beats are followed. */
struct monodomain {
    struct variable variable[VARIABLES];
    double value[VARIABLES][2 * NODES];
    double followed[FOLLOWED];
    int64_t step;
    int history;
    double before, settled; /* ms */
};

int monodomain_variables(const struct monodomain *sim)
{
    (void)sim;
    return VARIABLES;
}

const struct variable *monodomain_variable(const struct monodomain *sim, int k)
{
    return &sim->variable[k];
}

int monodomain_models(const struct monodomain *sim)
{
    (void)sim;
    return 2;
}

static int model_of(int64_t node)
{
    return node % 3 == 1;
}

const struct ionic_model *monodomain_model(const struct monodomain *sim, int model)
{
    static const struct ionic_model models[2] = {{.name = "tp06-epi"}, {.name = "tp06-m"}};
    (void)sim;
    return &models[model];
}

static int covers(const struct variable *variable, int64_t node)
{
    return variable->model < 0 || variable->model == model_of(node);
}

bool monodomain_model_map(const struct monodomain *sim, int32_t *model)
{
    (void)sim;
    for (int i = 0; i < NODES; i++)
        model[i] = model_of(i);
    return true;
}

static void copy(const struct variable *variable, double *to, const double *from)
{
    for (int64_t i = 0; i < NODES * variable->width; i++)
        if (covers(variable, i / variable->width))
            to[i] = from[i];
}

/* What was taken of it */
struct snapshot {
    struct monodomain then, *sim;
};

enum status snapshot_create(struct snapshot **out, struct monodomain *sim,
                            const struct snapshot_quantity *quantity, int quantities, int slots,
                            struct error *error)
{
    (void)error;
    CHECK(quantities == VARIABLES && quantity[3].variable == 3 && slots == 1, "%d quantities", quantities);
    *out = calloc(1, sizeof **out);
    (*out)->sim = sim;
    return STATUS_OK;
}

void snapshot_free(struct snapshot *snapshot)
{
    free(snapshot);
}

enum status snapshot_take(struct snapshot *snapshot, int slot, struct error *error)
{
    (void)slot, (void)error;
    snapshot->then = *snapshot->sim;
    return STATUS_OK;
}

enum status snapshot_arrive(struct snapshot *snapshot, int slot, struct error *error)
{
    (void)snapshot, (void)slot, (void)error;
    return STATUS_OK;
}

void snapshot_read(const struct snapshot *snapshot, int slot, int k, double *value)
{
    (void)slot;
    copy(&snapshot->then.variable[k], value, snapshot->then.value[k]);
}

void snapshot_collect(const struct snapshot *snapshot, int64_t width, double *value)
{
    (void)snapshot, (void)width, (void)value; /* one rank has all */
}

enum status monodomain_set(struct monodomain *sim, int k, const double *value, struct error *error)
{
    (void)error;
    copy(&sim->variable[k], sim->value[k], value);
    return STATUS_OK;
}

int64_t monodomain_followed_values(const struct monodomain *sim)
{
    (void)sim;
    return FOLLOWED;
}

enum status monodomain_followed(struct monodomain *sim, double *value, struct error *error)
{
    (void)error;
    memcpy(value, sim->followed, sizeof sim->followed);
    return STATUS_OK;
}

enum status monodomain_set_followed(struct monodomain *sim, const double *value, struct error *error)
{
    (void)error;
    memcpy(sim->followed, value, sizeof sim->followed);
    return STATUS_OK;
}

int64_t monodomain_step(const struct monodomain *sim)
{
    return sim->step;
}

double monodomain_time(const struct monodomain *sim)
{
    return (double)sim->step * 0.02;
}

int64_t monodomain_held(const struct monodomain *sim)
{
    (void)sim;
    return NODES;
}

int monodomain_history(const struct monodomain *sim)
{
    return sim->history;
}

int monodomain_level(const struct monodomain *sim)
{
    return (void)sim, 0;
}

double monodomain_before(const struct monodomain *sim)
{
    return (void)sim, 0.02;
}

double monodomain_lag(const struct monodomain *sim)
{
    return (void)sim, 0.01;
}

void monodomain_set_before(struct monodomain *sim, double before)
{
    sim->before = before;
}

enum status monodomain_settle(struct monodomain *sim, double lag, struct error *error)
{
    (void)error;
    sim->settled = lag;
    return STATUS_OK;
}

void monodomain_set_level(struct monodomain *sim, int level)
{
    (void)sim, (void)level;
}

enum status monodomain_restart(struct monodomain *sim, int64_t step, int history, struct error *error)
{
    (void)error;
    sim->step = step;
    sim->history = history;
    return STATUS_OK;
}

static struct monodomain tissue(int fill)
{
    struct monodomain sim = {.variable = {{"V", -1, false, 1},
                                          {"delta_1", -1, false, 1},
                                          {"activation_time", -1, false, 2},
                                          {"tp06-epi/m", 0, true, 1},
                                          {"tp06-epi/Na_i", 0, false, 1},
                                          {"tp06-m/m", 1, true, 1}},
                             .step = 12345,
                             .history = 2};
    for (int k = 0; k < VARIABLES && fill; k++)
        for (int i = 0; i < 2 * NODES; i++) {
            double x = sin(1.0 + k + 0.1 * i) * 85;
            sim.value[k][i] = sim.variable[k].single ? (double)(float)x : x;
        }
    if (fill) {
        sim.value[0][3] = -0.0;
        sim.value[0][4] = 0x1p-1074;
        sim.value[2][0] = NAN;
        sim.value[2][3] = sim.followed[2] = -NAN; /* waits for activation.rearm */
        sim.followed[5] = 0.1;
    }
    return sim;
}

static struct checkpoint_head head(void)
{
    struct checkpoint_head head = {
        .ids = CHECKPOINT_IDS, .frames = 7, .rows = {13, 5}, .program = "cardiac 0", .backend = "cpu-plain"};
    sha256_of("config", 6, head.config_sha256);
    sha256_of("mesh", 4, head.mesh_sha256);
    return head;
}

static void save_as(int64_t step, int keep, struct checkpoint_head h)
{
    struct error error = {0};
    struct monodomain sim = tissue(1);
    struct checkpoint_state *state;
    sim.step = step;
    CHECK_OK(checkpoint_state_new(&state, &sim, NODES, &error), error);
    CHECK_OK(checkpoint_state_take(state, NULL, &error), error);
    sim = tissue(0); /* the steps go on while it is written */
    CHECK_OK(checkpoint_state_arrive(state, &error), error);
    CHECK_OK(checkpoint_state_begin(state, directory, &h, &error), error);
    checkpoint_state_fill(state);
    CHECK_OK(checkpoint_state_commit(state, keep, &error), error);
    checkpoint_state_free(state);
}

/* The nodes that a variable covers have the same bits in both. */
static void check_same(const struct monodomain *got, const struct monodomain *want, int k)
{
    for (int i = 0; i < NODES * (int)want->variable[k].width; i++)
        if (covers(&want->variable[k], i / want->variable[k].width))
            CHECK(!memcmp(&got->value[k][i], &want->value[k][i], 8), "%s[%d] is %a, not %a",
                  want->variable[k].name, i, got->value[k][i], want->value[k][i]);
}

static void save(int64_t step, int keep)
{
    save_as(step, keep, head());
}

/* A digest of an earlier kind is never compared, and the file still is an initial state. */
static void refuse_old_kind(void)
{
    struct error error = {0};
    struct checkpoint *checkpoint;
    struct checkpoint_head h = head();
    struct monodomain start = tissue(0);
    char passed[500];
    h.ids = 1;
    save_as(12345, 2, h);
    CHECK_OK(checkpoint_latest(&checkpoint, directory, passed, sizeof passed, &error), error);
    CHECK(checkpoint_fits(checkpoint, h.config_sha256, h.mesh_sha256, &error) == STATUS_INPUT &&
              strstr(error.text, "written by cardiac 0, which identified files by other digests"),
          "%s", error.text);
    CHECK_OK(checkpoint_start_from(&start, NODES, checkpoint, h.mesh_sha256, &error), error);
    checkpoint_close(checkpoint);
}

static void round_trip(void)
{
    struct error error = {0};
    struct checkpoint *checkpoint;
    struct monodomain want = tissue(1), got = tissue(0), start = tissue(0);
    struct checkpoint_head h = head();
    char passed[500];
    save(12345, 2);
    CHECK_OK(checkpoint_latest(&checkpoint, directory, passed, sizeof passed, &error), error);
    CHECK(checkpoint && !passed[0], "%s", passed);
    CHECK_OK(checkpoint_fits(checkpoint, h.config_sha256, h.mesh_sha256, &error), error);
    CHECK(checkpoint_fits(checkpoint, h.mesh_sha256, h.mesh_sha256, &error) == STATUS_INPUT, "other config");
    CHECK(checkpoint_fits(checkpoint, h.config_sha256, h.config_sha256, &error) == STATUS_INPUT,
          "other mesh");
    got.step = got.history = 0;
    CHECK_OK(checkpoint_restore(&got, NODES, checkpoint, &error), error);
    CHECK(got.step == 12345 && got.history == 2, "step %d", (int)got.step);
    CHECK(got.before == 0.02 && got.settled == 0, "gates moved by %g ms in a resume", got.settled);
    CHECK(checkpoint_head(checkpoint)->time == 12345 * 0.02, "time");
    CHECK(checkpoint_head(checkpoint)->frames == 7 && checkpoint_head(checkpoint)->rows[0] == 13 &&
              checkpoint_head(checkpoint)->rows[1] == 5,
          "counts of the result");
    for (int k = 0; k < VARIABLES; k++)
        check_same(&got, &want, k);
    CHECK(!memcmp(got.followed, want.followed, sizeof got.followed), "beats that were followed");
    CHECK_OK(checkpoint_start_from(&start, NODES, checkpoint, h.mesh_sha256, &error), error);
    CHECK(start.followed[5] == 0, "beats taken over");
    CHECK(start.step == 0 && start.history == 0, "starts at step %d", (int)start.step);
    CHECK(start.before == 0 && start.settled == 0.01, "gates moved by %g ms at a start", start.settled);
    check_same(&start, &want, 0);
    check_same(&start, &want, 5);
    CHECK(start.value[1][1] == 0 && start.value[2][1] == 0, "history or map taken over");
    strcpy(start.variable[4].name, "tp06-epi/K_i");
    CHECK(checkpoint_start_from(&start, NODES, checkpoint, h.mesh_sha256, &error) == STATUS_INPUT, "no K_i");
    CHECK(strstr(error.text, "has no tp06-epi/K_i"), "%s", error.text);
    CHECK(checkpoint_start_from(&start, NODES, checkpoint, h.config_sha256, &error) == STATUS_INPUT, "mesh");
    checkpoint_close(checkpoint);
}

static void path_of(char *path, size_t room, int step)
{
    snprintf(path, room, "%s/checkpoint-%d.h5", directory, step);
}

static void keep_newest(void)
{
    char path[100];
    int64_t *step;
    int steps;
    struct error error = {0};
    for (int s = 12346; s <= 12350; s++)
        save(s, 2);
    CHECK_OK(checkpoint_list(directory, &step, &steps, &error), error);
    CHECK(steps == 2 && step[0] == 12350 && step[1] == 12349, "%d checkpoints", steps);
    free(step);
    save(9, 3);
    path_of(path, sizeof path, 12350);
    CHECK(access(path, F_OK) == 0, "a later one was removed");
    path_of(path, sizeof path, 9);
    unlink(path);
}

static unsigned char *slurp(const char *path, long *size)
{
    FILE *in = fopen(path, "rb");
    CHECK(in, "%s", path);
    fseek(in, 0, SEEK_END);
    *size = ftell(in);
    rewind(in);
    unsigned char *bytes = malloc((size_t)*size);
    CHECK(fread(bytes, 1, (size_t)*size, in) == (size_t)*size, "%s", path);
    fclose(in);
    return bytes;
}

static void spit(const char *path, const unsigned char *bytes, long size)
{
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(bytes, 1, (size_t)size, out) == (size_t)size && !fclose(out), "%s", path);
}

/* Flips bits all over the file: it is either refused, or what it gives back is what was stored. */
static void flipped(void)
{
    char path[100];
    long size;
    int refused = 0, harmless = 0;
    struct monodomain want = tissue(1);
    want.step = 12350;
    path_of(path, sizeof path, 12350);
    unsigned char *bytes = slurp(path, &size);
    for (long at = 0; at < size; at += 11) {
        struct error error = {0};
        struct checkpoint *checkpoint;
        struct monodomain got = tissue(0);
        bytes[at] ^= (unsigned char)(1 << at % 8);
        spit(path, bytes, size);
        bytes[at] ^= (unsigned char)(1 << at % 8);
        if (checkpoint_open(&checkpoint, path, &error)) {
            CHECK(error.text[0], "no message");
            refused++;
            continue;
        }
        struct error restored = {0};
        harmless++;
        CHECK_OK(checkpoint_restore(&got, NODES, checkpoint, &restored), restored);
        CHECK(got.step == want.step && got.history == want.history, "byte %ld", at);
        for (int k = 0; k < VARIABLES; k++)
            check_same(&got, &want, k);
        checkpoint_close(checkpoint);
    }
    for (long cut = 0; cut < size; cut += size / 50) {
        struct checkpoint *checkpoint;
        spit(path, bytes, cut);
        CHECK(checkpoint_open(&checkpoint, path, NULL) == STATUS_INPUT, "cut to %ld bytes", cut);
    }
    printf("%d flipped bits refused, %d did not matter\n", refused, harmless);
    CHECK(refused > 50, "only %d refused", refused);
    spit(path, bytes, size);
    free(bytes);
}

/* A byte of V changed in the newest: its array is named and the one before is taken. */
static void fall_back(void)
{
    char path[100], passed[500];
    long size, at;
    struct error error = {0};
    struct checkpoint *checkpoint;
    double v = tissue(1).value[0][10];
    path_of(path, sizeof path, 12350);
    unsigned char *bytes = slurp(path, &size);
    for (at = 0; at + 8 <= size && memcmp(bytes + at, &v, 8); at++)
        ;
    CHECK(at + 8 <= size, "V is not in the file");
    bytes[at] ^= 1;
    spit(path, bytes, size);
    CHECK_OK(checkpoint_latest(&checkpoint, directory, passed, sizeof passed, &error), error);
    CHECK(checkpoint && checkpoint_head(checkpoint)->step == 12349, "not the one before");
    CHECK(strstr(passed, "values of V have changed") && strstr(passed, "12350"), "%s", passed);
    checkpoint_close(checkpoint);
    path_of(path, sizeof path, 12349);
    spit(path, bytes, 1000);
    CHECK(checkpoint_latest(&checkpoint, directory, passed, sizeof passed, &error) == STATUS_INPUT,
          "all bad");
    CHECK_OK(checkpoint_remove_all(directory, &error), error);
    CHECK_OK(checkpoint_latest(&checkpoint, directory, passed, sizeof passed, &error), error);
    CHECK(!checkpoint, "there is none");
    free(bytes);
}

/* The tissue <- the frame of a result at a time */
static enum status start_from(struct monodomain *sim, const struct mesh *mesh, const char *path, double time,
                              const char *digest, char doubt[INITIAL_DOUBT], struct error *error)
{
    struct config config = {0};
    char file[100];
    snprintf(file, sizeof file, "%s", path);
    config.initial.file = file;
    config.initial.time = time;
    return initial_start(sim, mesh, &config, digest, doubt, error);
}

/* V and all states from a frame of a result; what it lacks is listed. */
static void from_result(void)
{
    static const char path[] = "test_checkpoint.vtkhdf";
    static const struct output_field fields[4] = {
        {"V", "mV", true}, {"tp06-epi/m", "1", true}, {"tp06-epi/Na_i", "mM", true}, {"tp06-m/m", "1", true}};
    struct error error = {0};
    struct mesh mesh = mesh_sample_box(36, 1, 1);
    mesh.nodes = NODES; /* the first row; the elements go with the rest */
    mesh.elements = 1;
    mesh.vertex[1] = 1, mesh.vertex[2] = 2, mesh.vertex[3] = 3;
    struct monodomain want = tissue(1), got = tissue(0);
    struct output *out;
    struct output_params params = {.path = path,
                                   .mesh = &mesh,
                                   .field = fields,
                                   .fields = 4,
                                   .config = "",
                                   .program = "",
                                   .libraries = "",
                                   .device = ""};
    CHECK_OK(output_create(&out, &params, true, &error), error);
    const double *value[4] = {want.value[0], want.value[3], want.value[4], want.value[5]};
    for (int k = 0; k < 3; k++) {
        value[0] = k == 1 ? want.value[0] : want.value[1];
        CHECK_OK(output_append(out, 0.1 * k, value, &error), error);
    }
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    char digest[SHA256_HEX];
    digest_mesh(&mesh, NULL, digest);
    char doubt[INITIAL_DOUBT] = "";
    CHECK_OK(start_from(&got, &mesh, path, 0.1, digest, doubt, &error), error);
    CHECK(strstr(doubt, "its config does not give the ionic models"), "models known from no config: %s",
          doubt);
    CHECK(got.step == 0 && got.history == 0, "step %d", (int)got.step);
    for (int k = 0; k < VARIABLES; k += k ? 1 : 3)
        check_same(&got, &want, k);
    CHECK(start_from(&got, &mesh, path, 0.15, digest, doubt, &error) == STATUS_INPUT, "no frame at 0.15 ms");
    got = tissue(0);
    CHECK_OK(start_from(&got, &mesh, path, 0.1, "", doubt, &error),
             error); /* of another mesh: nearest nodes */
    for (int k = 0; k < VARIABLES; k += k ? 1 : 3)
        check_same(&got, &want, k);
    strcpy(got.variable[4].name, "tp06-epi/K_i");
    CHECK(start_from(&got, &mesh, path, 0.1, digest, doubt, &error) == STATUS_INPUT, "no K_i");
    CHECK(strstr(error.text, "tp06-epi/K_i is missing"), "%s", error.text);
    mesh_free(&mesh);
    unlink(path);
    unlink("test_checkpoint.xdmf");
}

struct counted {
    int threads;
    double value;
};

static const void *count_threads(const void *context, int64_t block, void *room)
{
    struct counted *of = (struct counted *)(uintptr_t)context;
    (void)block, (void)room;
    of->threads = omp_get_num_threads();
    return &of->value;
}

/* An array of one block takes the memory of one thread, which may be that of all nodes. */
static void put_one_block(void)
{
    const struct checkpoint_head head = {.step = 1, .ids = CHECKPOINT_IDS};
    const int64_t first[] = {0, 1};
    struct counted of = {0, 0};
    const struct checkpoint_blocks blocks = {1, first, count_threads, &of};
    struct checkpoint *checkpoint;
    struct error error = {0};
    const int threads = omp_get_max_threads();
    omp_set_num_threads(3);
    CHECK_OK(checkpoint_create(&checkpoint, directory, &head, &error), error);
    CHECK_OK(checkpoint_reserve(checkpoint, "one", CHECKPOINT_DOUBLE, 1, &error), error);
    CHECK_OK(checkpoint_fill(checkpoint, 0, &blocks, &error), error);
    CHECK(of.threads == 1, "%d threads", of.threads);
    checkpoint_close(checkpoint);
    omp_set_num_threads(threads);
}

int main(void)
{
    struct error error = {0};
    mkdir(directory, 0777);
    CHECK_OK(checkpoint_remove_all(directory, &error), error);
    refuse_old_kind();
    put_one_block();
    round_trip();
    keep_newest();
    flipped();
    fall_back();
    from_result();
    rmdir(directory);
    return 0;
}
