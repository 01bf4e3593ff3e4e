/* test_empty_values.c: every key of the table, and every group of keys, with nothing in it: an empty text,
 * list or map, no value, and lists and maps of those. `check` and a run agree on each: it is fine (the list
 * below says where), or an input error with its place. */
#include "app/config/config.h"
#include "app/config/reader.h"
#include "app/config/keys.h"
#include "app/config/yaml.h"
#include "kernels/base/arena.h"
#include "app/util/command.h"
#include "tests/support/check.h"

#include <string.h>

static const char file[] = "test_empty_values.yaml";

static const char *const values[] = {"\"\"", "[]",   "{}",   "~",           "[\"\"]",
                                     "[~]",  "[[]]", "[{}]", "{\"\": \"\"}"};

/* Where it means something: nothing of what may be left out. All else is an error. */
static const struct {
    const char *path, *value;
} fine[] = {{"title", "\"\""},
            {"mesh.surfaces", "{}"},
            {"mesh.laplace", "{}"},
            {"mesh.arrays", "{}"},
            {"mesh.network", "[]"},
            {"stimuli", "[]"},
            {"stimuli[0].name", "\"\""},
            {"stimuli[0].protocol", "[{}]"},
            {"stimuli[0].protocol[0]", "{}"},
            {"tissue.parameters", "{}"},
            {"tissue.regions[0].parameters", "{}"},
            {"solver", "{}"},
            {"ionic", "{}"},
            {"activation", "{}"},
            {"initial", "{}"},
            {"output", "{}"},
            {"output.fields", "[]"},
            {"output.maps", "[]"},
            {"output.probes", "{}"},
            {"ecg", "{}"},
            {"induction", "{}"},
            {"fit", "{}"},
            {"induction.sites", "{}"},
            {"induction.lesions", "[]"},
            {"ecg.electrodes", "{}"},
            {"checkpoint", "{}"}};

/* A right config, and one that lacks what only one of several keys may give */
static const char *const bases[] = {
    "{version: 1, mesh: {cable: {length: 4 mm, spacing: 0.5 mm}},\n"
    "tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer, conductivity: 0.1 S/m}]},\n"
    "stimuli: [{box: {min: [0, 0, 0], max: [1, 0, 0]}, duration: 1 ms, current: 50 uA/uF}],\n"
    "time: {end: 0.2 ms, step: 0.02 ms}, threads: 1,\n"
    "output: {directory: test_empty_values.out, every: 0.1 ms, probes: {a: [1 mm, 0, 0]}}}\n",
    "{version: 1, mesh: {},\n"
    "tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer}]},\n"
    "stimuli: [{duration: 1 ms, current: 50 uA/uF}],\n"
    "time: {end: 0.2 ms, step: 0.02 ms}, threads: 1}\n"};

static void print(FILE *to, const struct tree *node)
{
    const char *open[] = {[TREE_LIST] = "[", [TREE_MAP] = "{"},
               *close[] = {[TREE_LIST] = "]", [TREE_MAP] = "}"};
    if (node->kind == TREE_SCALAR) {
        fprintf(to, node->quoted ? "\"%s\"" : "%s", node->text);
        return;
    }
    fputs(open[node->kind], to);
    for (const struct tree *child = node->child; child; child = child->next) {
        if (child->key)
            fprintf(to, *child->key ? "%s: " : "\"%s\": ", child->key);
        print(to, child);
        fputs(child->next ? ",\n" : "", to);
    }
    fputs(close[node->kind], to);
}

/* text <- the base with the value at the path */
static void make_config(char *text, size_t room, const char *base, const char *path, const char *value)
{
    struct arena arena = {.limit = 1 << 20};
    struct error error = {0};
    struct tree *root;
    CHECK_OK(yaml_tree_parse(&root, &arena, "base", base, strlen(base), &error), error);
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
        char around[100];
        bool exact;
        snprintf(around, sizeof around, "%.*s", (int)(dot - path), path);
        if (reader_node(root, around, &exact)->kind == TREE_SCALAR && exact) /* one value, or a map of keys */
            CHECK_OK(yaml_tree_set(root, &arena, around, "{}", &error), error);
    }
    CHECK_OK(yaml_tree_set(root, &arena, path, value, &error), error);
    FILE *to = fmemopen(text, room, "w");
    CHECK(to, "no memory");
    print(to, root);
    CHECK(fclose(to) == 0 && strlen(text) < room - 1, "the config is too long");
    arena_free(&arena);
}

/* How the command ends with that config in the file */
static enum status call(enum status command(int, char **, struct error *), int count, const char *text,
                        struct error *error)
{
    char name[sizeof file], quiet[] = "--quiet", overwrite[] = "--overwrite";
    char *argv[] = {name, name, quiet, overwrite, NULL};
    strcpy(name, file);
    FILE *to = fopen(file, "w");
    CHECK(to && fputs(text, to) >= 0 && fclose(to) == 0, "cannot write %s", file);
    return command(count, argv, error);
}

static bool is_fine(const char *path, const char *value)
{
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (strcmp(fine[i].path, path) == 0 && strcmp(fine[i].value, value) == 0)
            return true;
    return false;
}

/* Whether text begins with the file, a line and a column */
static bool has_position(const char *text)
{
    int line, column;
    size_t length = strlen(file);
    return strncmp(text, file, length) == 0 && sscanf(text + length, ":%d:%d: ", &line, &column) == 2;
}

/* probes.csv of a run of the first base with these fields */
static void probes_of(const char *fields, char *text, size_t room)
{
    struct error error = {0};
    make_config(text, room, bases[0], "output.fields", fields);
    CHECK_OK(call(command_run, 4, text, &error), error);
    FILE *from = fopen("test_empty_values.out/probes.csv", "r");
    CHECK(from, "no probes.csv");
    text[fread(text, 1, room - 1, from)] = 0;
    fclose(from);
}

static int tried, good;

static void test_value(int base, const char *path, const char *value)
{
    char text[1000];
    struct config config;
    struct error error = {0};
    make_config(text, sizeof text, bases[base], path, value);
    enum status status = config_parse(&config, file, "", text, strlen(text), NULL, 0, &error);
    config_free(&config);
    if (!status) /* what is wrong may show later */
        status = call(command_check, 2, text, &error);
    if (!status)
        status = call(command_run, 4, text, &error);
    if (base == 0 && is_fine(path, value))
        CHECK(!status, "%s: %s: %s", path, value, error.text);
    else
        CHECK(status == STATUS_INPUT && has_position(error.text), "%s: %s: status %d: %s", path, value,
              (int)status, error.text);
    tried++;
    good += !status;
}

static void test_path(const char *path)
{
    for (int base = 0; base < 2; base++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            test_value(base, path, values[v]);
}

int main(void)
{
    int count;
    char last[100] = "";
    const struct key *key = config_keys(&count);
    CHECK(freopen("/dev/null", "w", stdout), "no /dev/null");
    for (int k = 0; k < count; k++) {
        char path[100], before[100] = "";
        int length = 0;
        for (const char *c = key[k].path; *c; c++) { /* the first of each list */
            path[length++] = *c;
            if (*c == '[')
                path[length++] = '0';
        }
        path[length] = 0;
        for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
            snprintf(before, sizeof before, "%.*s", (int)(dot - path), path);
            if (strncmp(last, path, (size_t)(dot - path)) != 0)
                test_path(before);
        }
        test_path(path);
        strcpy(last, path);
    }
    char with[1000], without[1000];
    probes_of("V", with, sizeof with);
    probes_of("[]", without, sizeof without);
    CHECK(strcmp(with, without) == 0 && strstr(with, "\n0.2,"), "probes of no fields:\n%s", without);
    CHECK(good == sizeof fine / sizeof *fine, "%d of %d are fine", good, tried);
    fprintf(stderr, "%d configs, %d of them fine\n", tried, good);
    return 0;
}
