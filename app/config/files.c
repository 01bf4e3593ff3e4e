/* files.c: enumerate the file paths in a config, and the other files of a mesh. */
#include "app/config/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/resolved.h"
#include "app/util/path.h"
#include "app/util/own_file.h"
#include "kernels/base/printed.h"

/* path: of the node's block, or of the key to which the node belongs */
static enum status visit_node(struct tree *node, const char *path,
                              enum status (*visit)(struct tree *file, const char *key, void *argument,
                                                   struct error *error),
                              void *argument, struct error *error)
{
    char inner[RESOLVED_PATH];
    if (node->file)
        return visit(node, path, argument, error);
    for (struct tree *child = node->child; child; child = child->next) {
        if (node->block)
            resolved_path(inner, path, node, child);
        TRY(visit_node(child, node->block ? inner : path, visit, argument, error));
    }
    return STATUS_OK;
}

enum status files_each(struct config *config,
                       enum status (*visit)(struct tree *file, const char *key, void *argument,
                                            struct error *error),
                       void *argument, struct error *error)
{
    return visit_node(config->resolved, "", visit, argument, error);
}

bool files_is_mesh(const char *key)
{
    return strcmp(key, "mesh.file") == 0 || strcmp(key, "ecg.conductor.file") == 0 ||
           strcmp(key, "mesh.network[].file") == 0;
}

/* Whether the name is stem ("NAME.") plus one of the endings, with or without ".gz" */
static bool is_sibling(const char *name, const char *stem)
{
    static const char *const ends[] = {"node", "ele", "face", "edge", "fib", "pts", "elem", "lon"};
    size_t length = strlen(name) - (path_ends_in(name, ".gz") ? 3 : 0), start = strlen(stem);
    if (length <= start || strncmp(name, stem, start) != 0)
        return false;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (length - start == strlen(ends[k]) && strncmp(name + start, ends[k], length - start) == 0)
            return true;
    return length > start + 4 && strncmp(name + length - 4, "surf", 4) == 0 && name[length - 5] == '.';
}

/* stem <- "NAME." of a mesh file, or of a mesh that is named without an ending */
static void find_stem(char stem[256], const char *path)
{
    const char *name = path_base_name(path);
    const bool whole = access(path, F_OK) != 0 && !path_ends_in(path, ".gz");
    size_t length = strlen(name) - (path_ends_in(name, ".gz") ? 3 : 0);
    while (length > 0 && name[length - 1] != '.')
        length--;
    if (length > 0 || !whole)
        snprintf(stem, 256, "%.*s", (int)length, name);
    else
        snprintf(stem, 256, "%.200s.", name);
}

/* Visits the other files of the mesh at `path`, except `first`. */
static void visit_siblings(const char *path, const char *first,
                           void (*visit)(const char *file, void *argument), void *argument)
{
    char folder[4096], stem[256], sibling[4500];
    const char *name = path_base_name(path);
    struct dirent **entry;
    find_stem(stem, path);
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    int entries = *stem ? scandir(*folder ? folder : ".", &entry, NULL, alphasort) : 0;
    for (int k = 0; k < entries; k++) {
        if (is_sibling(entry[k]->d_name, stem) && strcmp(entry[k]->d_name, path_base_name(first)) != 0) {
            snprintf(sibling, sizeof sibling, "%s%s", folder, entry[k]->d_name);
            visit(sibling, argument);
        }
        free(entry[k]);
    }
    if (entries >= 0 && *stem)
        free(entry);
}

void files_of(const char *path, const char *key, void (*visit)(const char *file, void *argument),
              void *argument)
{
    char other[4500];
    if (!files_is_mesh(key)) {
        visit(path, argument);
        return;
    }
    const bool packed = path_ends_in(path, ".gz");
    snprintf(other, sizeof other, "%.*s%s", (int)strlen(path) - (packed ? 3 : 0), path, packed ? "" : ".gz");
    const char *first = access(path, F_OK) == 0 ? path : other;
    if (access(first, F_OK) == 0)
        visit(first, argument);
    visit_siblings(path, first, visit, argument);
}

void files_of_record(const struct inputs *record, const char *path, const char *key,
                     void (*visit)(const char *file, void *argument), void *argument)
{
    char stem[256];
    const size_t folder = (size_t)(path_base_name(path) - path);
    find_stem(stem, path);
    for (int64_t k = 0; k < record->count; k++) {
        const char *file = record->input[k].path;
        if (strcmp(file, path) == 0 ||
            (files_is_mesh(key) && strncmp(file, path, folder) == 0 && is_sibling(file + folder, stem)))
            visit(file, argument);
    }
}

/* An output file, and whether it is also an input */
struct written {
    const char *path;
    bool same;
};

static void compare_file(const char *file, void *argument)
{
    struct written *output = argument;
    output->same = output->same || own_file_same(file, output->path);
}

static enum status compare_input(struct tree *file, const char *key, void *argument, struct error *error)
{
    struct written *output = argument;
    if (strcmp(key, "initial.file") == 0) /* a run checks this one itself */
        return STATUS_OK;
    files_of(file->text, key, compare_file, argument);
    return output->same
               ? error_set(error, STATUS_INPUT, "%s: the output would replace %s; choose another --output",
                           key, output->path)
               : STATUS_OK;
}

enum status files_check_output(struct config *config, const char *output, struct error *error)
{
    struct written written = {.path = output};
    if (own_file_same(config->path, output))
        return error_set(error, STATUS_INPUT,
                         "the output would replace the config %s; choose another --output", output);
    return files_each(config, compare_input, &written, error);
}

struct recording {
    FILE *file;
    struct inputs *inputs;
};

static void record_file(const char *file, void *argument)
{
    const struct recording *recording = argument;
    char hex[SHA256_HEX], whole[PATH_WHOLE];
    struct error unread;
    if (!inputs_digest(recording->inputs, file, hex, &unread))
        fprintf(recording->file, "%s  %s\n", hex, path_whole(whole, file));
}

static enum status record_key(struct tree *file, const char *key, void *argument, struct error *error)
{
    (void)error;
    files_of(file->text, key, record_file, argument);
    return STATUS_OK;
}

enum status files_record(char **text, struct config *config, struct error *error)
{
    struct printed lines;
    TRY(printed_open(&lines, error));
    struct recording recording = {lines.file, config->inputs};
    files_each(config, record_key, &recording, error);
    TRY(printed_close(&lines, error));
    *text = lines.text;
    return STATUS_OK;
}
