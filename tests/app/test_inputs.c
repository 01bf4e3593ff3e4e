/* test_inputs.c: a walk over the table of keys: each file that a key names is touched, copied and changed, and the ids of
 * what it decides, and no others, change with its contents; what is read is listed by the digest of its bytes. */
#include "app/config/config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/files.h"
#include "app/config/keys.h"
#include "app/models/bundled.h"
#include "app/util/cache.h"
#include "app/util/text_file.h"
#include "kernels/base/printed.h"
#include "tests/support/check.h"

enum { OF_RUNS = 1 << CONFIG_RESULTS | 1 << CONFIG_INDUCTION | 1 << CONFIG_FIT };
enum { OF_NUMBERS = OF_RUNS | 1 << CONFIG_NUMBERS };
enum { OF_MESH = OF_NUMBERS | 1 << CONFIG_MESH | 1 << CONFIG_MATRIX };

/* Each key that names a file, the file, and the subsets that depend on it */
static const struct {
    const char *key, *file;
    unsigned subsets;
} files[] = {
    {"mesh.file", "mesh.ele", OF_MESH},
    {"mesh.file", "mesh.node", OF_MESH},
    {"mesh.surfaces", "base.txt", OF_MESH},
    {"mesh.surfaces", "epi.txt", OF_MESH},
    {"mesh.surfaces", "lv.txt", OF_MESH},
    {"mesh.surfaces", "rv.txt", OF_MESH},
    {"mesh.surfaces", "apex.txt", OF_MESH},
    {"mesh.arrays", "gks.dat", OF_MESH},
    {"mesh.network[].file", "tree.vtk", OF_MESH},
    {"tissue.regions[].model.file", "cell.mmt", OF_RUNS},
    {"tissue.regions[].initial", "times.txt", OF_NUMBERS},
    {"tissue.regions[].initial", "states.yaml", 0}, /* by its values, which a comment leaves as they are */
    {"stimuli[].nodes", "nodes.txt", OF_NUMBERS},
    {"stimuli[].delays", "delays.txt", OF_NUMBERS},
    {"stimuli[].pulse", "pulse.txt", OF_NUMBERS},
    {"activation.target", "times.csv", 1 << CONFIG_FIT},
    {"initial.file", "start.h5", OF_RUNS},
    {"ecg.lead_fields", "leads.txt", OF_NUMBERS},
    {"ecg.conductor.file", "torso.vtu", OF_NUMBERS},
    {"ecg.target", "leads.csv", 1 << CONFIG_FIT},
};
enum { FILES = sizeof files / sizeof *files };

static const char text[] =
    "version: 1\n"
    "mesh: {file: mesh.ele, scale: 1 mm, surfaces: {base: ./base.txt, epi: epi.txt, lv: lv.txt, rv: rv.txt, "
    "apex: "
    "apex.txt},\n"
    "       arrays: {gks: gks.dat},\n"
    "       network: [{file: tree.vtk, tag: 7, junctions: none}]}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  regions:\n"
    "    - {tags: 1, model: {file: cell.mmt}, conductivity: {intra: 0.2 S/m, extra: 0.4 S/m}}\n"
    "    - {tags: 2, model: mitchell-schaeffer, conductivity: {intra: 0.2 S/m, extra: 0.4 S/m}, initial: "
    "{pace: 1, "
    "period: 300 ms, times: times.txt}}\n"
    "    - {model: mitchell-schaeffer, conductivity: {intra: 0.2 S/m, extra: 0.4 S/m}, initial: {file: "
    "states.yaml}}\n"
    "stimuli:\n"
    "  - {nodes: nodes.txt, pulse: pulse.txt, current: 50 uA/uF}\n"
    "  - {delays: delays.txt, duration: 2 ms, current: 50 uA/uF}\n"
    "initial: {file: start.h5}\n"
    "time: {end: 4 ms, step: 0.05 ms}\n"
    "activation: {target: times.csv}\n"
    "ecg: {target: leads.csv, %s}\n";

static const char *const leads[] = {
    "lead_fields: leads.txt",
    "conductor: {file: torso.vtu, scale: 1 mm, regions: [{tags: 3, conductivity: 0.1 "
    "S/m}]}, electrodes: {a: [0, 0, 0]}"};

static void put(const char *folder, const char *file, const char *mode, const char *content)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *out = fopen(path, mode);
    CHECK(out && fputs(content, out) >= 0 && fclose(out) == 0, "%s", path);
}

static void write_files(const char *folder)
{
    mkdir(folder, 0777);
    for (int k = 0; k < FILES; k++)
        put(folder, files[k].file, "w", "a b\n0 1\n");
    put(folder, "cell.mmt", "w", bundled_text_of(ionic_find("fenton-karma-br")));
    put(folder, "states.yaml", "w", "model: mitchell-schaeffer\nstates: {V: -80 mV, h: 0.9}\n");
}

/* id[] <- the digests of all subsets of the config in that folder, of both kinds of leads */
static void find_ids(char id[2][CONFIG_SUBSETS][SHA256_HEX], const char *folder)
{
    struct config config;
    struct error error = {0};
    char whole[sizeof text + 200];
    for (int n = 0; n < 2; n++) {
        snprintf(whole, sizeof whole, text, leads[n]);
        CHECK_OK(config_parse(&config, "walk.yaml", folder, whole, strlen(whole), NULL, 0, &error), error);
        for (int s = 0; s < CONFIG_SUBSETS; s++) {
            char *keys = config_subset_text(&config, (enum config_subset)s);
            CHECK(keys && !strstr(keys, folder) && !strstr(keys, "none]"), "subset %d: %s", s, keys);
            sha256_of(keys, strlen(keys), id[n][s]);
            free(keys);
        }
        config_free(&config);
    }
}

/* The subsets whose ids differ */
static unsigned compare_ids(char a[2][CONFIG_SUBSETS][SHA256_HEX], char b[2][CONFIG_SUBSETS][SHA256_HEX])
{
    unsigned differ = 0;
    for (int n = 0; n < 2; n++)
        for (int s = 0; s < CONFIG_SUBSETS; s++)
            differ |= strcmp(a[n][s], b[n][s]) ? 1u << s : 0;
    return differ;
}

static void check_walk(void)
{
    char first[2][CONFIG_SUBSETS][SHA256_HEX], now[2][CONFIG_SUBSETS][SHA256_HEX], path[200];
    write_files("test_inputs.d");
    find_ids(first, "test_inputs.d");
    for (int k = 0; k < FILES; k++) {
        snprintf(path, sizeof path, "test_inputs.d/%s", files[k].file);
        CHECK(utimensat(AT_FDCWD, path, (struct timespec[2]){{1, 0}, {1, 0}}, 0) == 0, "%s", path);
        find_ids(now, "test_inputs.d");
        CHECK(compare_ids(first, now) == 0, "%s: touched, and ids %#x change", path, compare_ids(first, now));
        put("test_inputs.d", files[k].file, "a", strcmp(files[k].file, "cell.mmt") ? "# more\n" : "\n");
        find_ids(now, "test_inputs.d");
        CHECK(compare_ids(first, now) == files[k].subsets, "%s: ids %#x change, expected %#x", path,
              compare_ids(first, now), files[k].subsets);
        write_files("test_inputs.d");
    }
    write_files("test_inputs_copied.d");
    find_ids(now, "test_inputs_copied.d");
    CHECK(compare_ids(first, now) == 0, "copied, and ids %#x change", compare_ids(first, now));
}

/* Every key that may name a file is walked. */
static void check_complete(void)
{
    int count;
    const struct key *key = config_keys(&count);
    for (int k = 0; k < count; k++) {
        bool walked = key[k].type != KEY_PATH && key[k].type != KEY_SURFACES && key[k].type != KEY_COLUMNS &&
                      key[k].type != KEY_INITIAL;
        for (int f = 0; f < FILES; f++)
            walked = walked || strcmp(files[f].key, key[k].path) == 0;
        CHECK(walked, "%s names a file and is not in files[] here", key[k].path);
    }
}

/* The digest is of the bytes on disk, also of a gzipped file and of one that is read in part. */
static void check_listed(void)
{
    struct inputs *inputs = inputs_new();
    struct text_file file = {0};
    struct error error = {0};
    char hex[SHA256_HEX], again[SHA256_HEX];
    bool more;
    put(".", "test_inputs.txt", "w", "one\ntwo\n");
    CHECK_OK(text_open(&file, "test_inputs.txt", inputs, &error), error);
    CHECK_OK(text_line(&file, &more, &error), error);
    text_close(&file);
    sha256_of("one\ntwo\n", 8, hex);
    CHECK(inputs->count == 1 && strcmp(inputs->input[0].sha256, hex) == 0, "%s", inputs->input[0].sha256);
    CHECK_OK(inputs_check(inputs, &error), error);
    put(".", "test_inputs.txt", "w", "one\ntwo!\n");
    CHECK_OK(inputs_digest(inputs, "test_inputs.txt", again, &error), error);
    CHECK(strcmp(hex, again) != 0 && inputs_check(inputs, &error) == STATUS_INPUT &&
              strstr(error.text, "test_inputs.txt: has changed since"),
          "%s", error.text);
    CHECK(inputs_digest(inputs, "nothing.txt", hex, &error) == STATUS_INPUT && inputs->count == 1, "nothing");
    inputs_free(inputs);
    inputs = inputs_stored("");
    CHECK(inputs_digest(inputs, "test_inputs.txt", hex, &error) == STATUS_INPUT, "it is not in the record");
    inputs_free(inputs);
}

/* The digest of a large file is cached by its identity, which the C library's has had for a while. */
static void check_cached(void)
{
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map = NULL;
    CHECK(library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0, "%s", dlerror());
    const char *path = map->l_name;
    struct inputs *first = inputs_new(), *again = inputs_new();
    struct error error = {0};
    struct stat is;
    struct cache cache;
    char hex[SHA256_HEX], other[SHA256_HEX], name[CACHE_NAME];
    mkdir("test_inputs.cache", 0700);
    setenv("XDG_CACHE_HOME", "test_inputs.cache", 1);
    CHECK(stat(path, &is) == 0 && is.st_size > 1 << 20, "%s", path);
    CHECK_OK(inputs_digest(first, path, hex, &error), error);
    const struct cache_input identity[] = {{&first->input[0].identity, sizeof first->input[0].identity}};
    cache_name(name, "digest", identity, 1);
    CHECK_OK(cache_open(&cache, &error), error);
    if (first->input[0].settled) {
        /* another digest in its place, to see that it is used */
        CHECK_OK(cache_write(&cache, name, hex + 1, SHA256_HEX - 2, &error), error);
        CHECK_OK(inputs_digest(again, path, other, &error), error);
        CHECK(strcmp(hex, other) == 0, "an entry that is no digest was used");
        inputs_free(again);
        again = inputs_new();
        memset(other, 'f', SHA256_HEX - 1);
        CHECK_OK(cache_write(&cache, name, other, SHA256_HEX - 1, &error), error);
        CHECK_OK(inputs_digest(again, path, other, &error), error);
        CHECK(strspn(other, "f") == SHA256_HEX - 1, "the cached digest was not used: %s", other);
    } else {
        printf("skipped: %s is too new to be cached\n", path);
    }
    cache_remove(&cache, name);
    cache_close(&cache);
    inputs_free(first);
    inputs_free(again);
    dlclose(library);
}

static void add_name(const char *file, void *argument)
{
    printed_item(argument, 200, "%s", file);
}

/* The files of a mesh of TetGen or openCARP: with its name and the ending of a part, or NAME.PART.surf; packed ones among them */
static void check_siblings(void)
{
    static const char *const names[] = {"a.ele",     "a.node", "a.face.gz",  "a.epi.surf", "a..surf",
                                        "a.episurf", "a.surf", "a.nodes",    "a.lon.gz",   "a",
                                        "ab.node",   "b.ele",  "b.epi.surf", "a.node.txt"};
    char found[200] = "", folder[] = "test_inputs.siblings";
    CHECK((mkdir(folder, 0777) == 0 || access(folder, W_OK) == 0) && chdir(folder) == 0, "%s", folder);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        FILE *file = fopen(names[k], "w");
        CHECK(file && fclose(file) == 0, "%s", names[k]);
    }
    files_of("a.ele", "mesh.file", add_name, found);
    CHECK(strcmp(found, "a.ele, a..surf, a.epi.surf, a.face.gz, a.lon.gz, a.node") == 0, "%s", found);
    found[0] = 0;
    files_of("./a.ele", "ecg.conductor.file", add_name, found);
    CHECK(strcmp(found, "./a.ele, ./a..surf, ./a.epi.surf, ./a.face.gz, ./a.lon.gz, ./a.node") == 0, "%s",
          found);
    found[0] = 0;
    files_of("b.ele.gz", "mesh.file", add_name, found); /* it is there unpacked */
    CHECK(strcmp(found, "b.ele, b.epi.surf") == 0, "%s", found);
    found[0] = 0;
    files_of("a.ele", "stimuli[].nodes", add_name, found);
    CHECK(strcmp(found, "a.ele") == 0, "%s", found);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        remove(names[k]);
    CHECK(chdir("..") == 0, "..");
    rmdir(folder);
}

int main(void)
{
    check_siblings();
    check_walk();
    check_complete();
    check_listed();
    check_cached();
    return 0;
}
