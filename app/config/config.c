/* config.c: file -> tree -> overrides -> keys -> checks. */
#include "app/config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/fill.h"
#include "app/config/renamed.h"
#include "app/config/resolve.h"
#include "app/util/cores.h"
#include "kernels/base/array.h"

enum { MEMORY = 14 << 20 }; /* and 40 bytes for each of the text: all that a hostile file can take here */

/* "solver.theta=0.5" */
static enum status override(struct reader *reader, const char *set)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set)
        return error_set(reader->error, STATUS_INPUT,
                         "--set %.80s: expected key=value, such as --set solver.theta=0.5", set);
    char *key = arena_text(&reader->config->memory, set, (size_t)(equals - set));
    if (!key)
        return error_memory(reader->error, "--set", 0);
    return yaml_tree_set(reader->root, &reader->config->memory, key, equals + 1, reader->error);
}

struct overrides {
    const char *const *set;
    int sets;
    const struct config_option *option;
    int options;
};

static enum status override_all(struct reader *reader, const struct overrides *over)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < over->sets && !status; i++)
        status = override(reader, over->set[i]);
    for (int i = 0; i < over->options && !status; i++) {
        const struct config_option *o = over->option + i;
        if (o->value)
            status = yaml_tree_put(reader->root, &reader->config->memory, o->name, o->key, o->value,
                                   reader->error);
    }
    return status;
}

static enum status parse(struct config *config, const char *path, const char *directory, const char *text,
                         size_t length, const struct overrides *over, struct error *error)
{
    *config = (struct config){.memory.limit = MEMORY + 40 * length};
    for (int i = 0; i < over->sets; i++)
        config->memory.limit += 4096 + 40 * strlen(over->set[i]);
    for (int i = 0; i < over->options; i++)
        config->memory.limit += over->option[i].value ? 4096 + 40 * strlen(over->option[i].value) : 0;
    struct reader reader = {.config = config, .directory = directory, .error = error, .faults.error = error};
    config->path = arena_text(&config->memory, path, strlen(path));
    if (!config->path)
        return error_memory(error, "the config", (double)strlen(path));
    bool marked = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* an editor's byte order mark */
    enum status status = yaml_tree_parse(&reader.root, &config->memory, config->path, text + 3 * marked,
                                         length - 3 * (size_t)marked, error);
    AND(override_all(&reader, over));
    AND(config_rename(&reader));
    if (status)
        return status;
    config->root = reader.root;
    FAULTS_TRY(config_fill(&reader));
    if (reader.root->kind == TREE_MAP)
        FAULTS_TRY(config_resolve(&reader));
    return status;
}

enum status config_parse(struct config *config, const char *path, const char *directory, const char *text,
                         size_t length, const char *const *sets, int count, struct error *error)
{
    const struct overrides over = {sets, count, NULL, 0};
    return parse(config, path, directory, text, length, &over, error);
}

/* *text <- what stands in the file, NUL-terminated, to be freed; one byte past the limit is enough to refuse
 */
static enum status read_file(char **text, size_t *length, const char *path, struct error *error)
{
    const size_t room = TREE_TEXT_BYTES + 1;
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_at(error, STATUS_INPUT, path, 0, 0, "cannot be opened: %s", strerror(errno));
    enum status status = STATUS_OK;
    *text = array_new((int64_t)room + 1, 1, "the config", &status, error);
    if (!status) {
        *length = fread(*text, 1, room, file);
        (*text)[*length] = 0;
    }
    if (!status && ferror(file))
        status = error_at(error, STATUS_INPUT, path, 0, 0, "cannot be read: %s", strerror(errno));
    fclose(file);
    return status;
}

/* STATUS_INPUT where the file is plainly no config: a mesh, a result, or one of openCARP's */
static enum status check_file(const char *path, const char *text, size_t length, struct error *error)
{
    static const struct {
        const char *ending, *begin, *what;
    } known[] = {
        {".par", NULL, "openCARP's parameters; `cardiac import` makes a config of them"},
        {".mmt", NULL, "a model's text; a config names it as tissue.regions[].model.file"},
        {".pts", NULL, "a mesh; a config names it as mesh.file"},
        {".elem", NULL, "a mesh; a config names it as mesh.file"},
        {".node", NULL, "a mesh; a config names it as mesh.file"},
        {".ele", NULL, "a mesh; a config names it as mesh.file"},
        {NULL, "$MeshFormat", "a mesh; a config names it as mesh.file"},
        {NULL, "# vtk DataFile", "a mesh; a config names it as mesh.file"},
        {NULL, "<?xml", "a mesh or another file of VTK; a config names a mesh as mesh.file"},
        {NULL, "<VTKFile", "a mesh; a config names it as mesh.file"},
        {NULL, "\x89HDF", "a result or a mesh in HDF5; `cardiac info` prints what it contains"},
    };
    const size_t name = strlen(path);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t ending = known[k].ending ? strlen(known[k].ending) : 0;
        size_t begin = known[k].begin ? strlen(known[k].begin) : 0;
        bool same = ending ? name > ending && strcmp(path + name - ending, known[k].ending) == 0
                           : length >= begin && memcmp(text, known[k].begin, begin) == 0;
        if (same)
            return error_at(error, STATUS_INPUT, path, 0, 0, "not a config but %s", known[k].what);
    }
    return STATUS_OK;
}

enum status config_read_with(struct config *config, const char *path, const char *const *sets, int count,
                             const struct config_option *options, int number, struct error *error)
{
    const struct overrides over = {sets, count, options, number};
    char *text = NULL;
    size_t length = 0;
    *config = (struct config){0};
    enum status status = read_file(&text, &length, path, error);
    AND(check_file(path, text, length, error));
    const char *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup("");
    if (!status && !directory)
        status = error_memory(error, "the config", 0);
    AND(parse(config, path, directory, text, length, &over, error));
    if (!status)
        cores_limit(config->threads);
    free(directory);
    free(text);
    return status;
}

enum status config_read(struct config *config, const char *path, const char *const *sets, int count,
                        struct error *error)
{
    return config_read_with(config, path, sets, count, NULL, 0, error);
}

void config_free(struct config *config)
{
    arena_free(&config->memory);
    user_model_free(config->models);
    *config = (struct config){0};
}
