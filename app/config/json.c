/* json.c: print a resolved config as JSON, and the table of keys as a JSON Schema. */
#include <string.h>

#include "app/config/config.h"
#include "app/config/keys.h"
#include "app/config/value.h"
#include "app/util/json.h"
#include "app/util/path.h"
#include "kernels/base/decimal.h"

/* Whether a plain scalar of YAML is also a number of JSON */
static bool is_number(const char *text)
{
    const char *first = text + (*text == '-'), *point = strchr(text, '.');
    return decimal_length(text) == strlen(text) && decimal_digit(*first) &&
           !(*first == '0' && decimal_digit(first[1])) && (!point || decimal_digit(point[1]));
}

static void put_tree(FILE *file, const struct tree *node)
{
    char whole[PATH_WHOLE];
    if (node->kind == TREE_SCALAR && !node->quoted && is_number(node->text))
        fputs(node->text, file);
    else if (node->kind == TREE_SCALAR)
        json_put_text(file, node->file ? path_whole(whole, node->text) : node->text);
    if (node->kind == TREE_SCALAR)
        return;
    fputc(node->kind == TREE_LIST ? '[' : '{', file);
    for (const struct tree *child = node->child; child; child = child->next) {
        if (node->kind == TREE_MAP) {
            json_put_text(file, child->key);
            fputs(": ", file);
        }
        put_tree(file, child);
        fputs(child->next ? ", " : "", file);
    }
    fputc(node->kind == TREE_LIST ? ']' : '}', file);
}

void config_print_json(FILE *out, const struct config *config)
{
    put_tree(out, config->resolved);
    fputc('\n', out);
}

static void put_type(FILE *file, const struct key *key)
{
    static const char *const types[] = {[KEY_INT] = "\"integer\"",
                                        [KEY_INT64] = "\"integer\"",
                                        [KEY_BOOL] = "[\"boolean\", \"string\"]",
                                        [KEY_TEXT] = "\"string\"",
                                        [KEY_PATH] = "\"string\"",
                                        [KEY_DEVICE] = "\"string\"",
                                        [KEY_NAMES] = "\"array\"",
                                        [KEY_WHERE] = "\"string\"",
                                        [KEY_FACTOR] = "[\"number\", \"string\"]",
                                        [KEY_CURRENT] = "\"string\"",
                                        [KEY_PROBES] = "\"object\"",
                                        [KEY_SURFACES] = "\"object\"",
                                        [KEY_LAPLACE] = "\"object\"",
                                        [KEY_COLUMNS] = "\"object\"",
                                        [KEY_BOUNDS] = "\"object\"",
                                        [KEY_NUMBER] = "[\"number\", \"string\"]",
                                        [KEY_VECTOR] = "\"array\"",
                                        [KEY_LIST] = NULL}; /* NULL, as for types not listed: several forms */
    const char *type = types[key->type];
    if (key->choice) {
        fputs("\"enum\": [", file);
        for (int k = 0; key->choice[k]; k++) {
            fputs(k ? ", " : "", file);
            json_put_text(file, key->choice[k]);
        }
        fputs("], ", file);
    } else if (type) {
        fprintf(file, "\"type\": %s, ", type);
    }
    if (key->type == KEY_VECTOR)
        fprintf(file, "\"minItems\": %d, \"maxItems\": %d, ", (int)key->size, (int)key->size);
}

/* Prints the members of a key's schema, the description last. */
static void put_key(FILE *file, const struct key *key)
{
    const char *unit = units_default(key->quantity);
    char text[VALUE_TEXT];
    put_type(file, key);
    if (key->type == KEY_NUMBER || key->type == KEY_VECTOR || key->type == KEY_CURRENT) {
        fputs("\"unit\": ", file);
        json_put_text(file, unit);
        fputs(", ", file);
    }
    const char *fallback = key->fallback == KEY_SOLVER ? value_of_solver(text, key) : key->fallback;
    if (fallback && key->fallback != KEY_REQUIRED) {
        fputs("\"default\": ", file);
        json_put_text(file, fallback);
        fputs(", ", file);
    }
    fputs("\"description\": ", file);
    json_put_text(file, key->meaning);
}

/* The name that follows `prefix` in a path, up to a dot or bracket; NULL if the path does not begin with it */
static const char *name_after(const char *path, const char *prefix, size_t *length)
{
    size_t skip = strlen(prefix);
    if (strncmp(path, prefix, skip) != 0)
        return NULL;
    *length = strcspn(path + skip, ".[");
    return path + skip;
}

enum { PATH = 200 };

static void put_object(FILE *file, const char *prefix);

/* Prints the schema of `path`: a key, a list, a group of keys, or a key that may also be a group. */
static void put_schema(FILE *file, const char *path)
{
    int count;
    const struct key *key = config_keys(&count), *own = NULL;
    const size_t length = strlen(path);
    char inner[PATH];
    bool group = false;
    for (int k = 0; k < count; k++)
        if (strncmp(key[k].path, path, length) == 0) {
            own = key[k].path[length] ? own : &key[k];
            group |= key[k].path[length] == '.';
        }
    bool both = own && group;
    fputs(both ? "{\"anyOf\": [{" : "{", file);
    if (own)
        put_key(file, own);
    if (own && own->type == KEY_LIST) {
        fputs(", \"items\": {", file);
        snprintf(inner, sizeof inner, "%.190s[].", path);
        put_object(file, inner);
        fputs("}", file);
    }
    fputs(both ? "}, {" : "", file);
    if (group) {
        snprintf(inner, sizeof inner, "%.190s.", path);
        put_object(file, inner);
    }
    fputs(both ? "}]}" : "}", file);
}

/* Prints the members of a map's schema; its keys are those of the table that begin with prefix. */
static void put_object(FILE *file, const char *prefix)
{
    int count;
    const struct key *key = config_keys(&count);
    char path[PATH];
    const char *separator = "";
    fputs("\"type\": \"object\", \"additionalProperties\": false, \"properties\": {", file);
    for (int k = 0; k < count; k++) {
        size_t length, other;
        const char *name = name_after(key[k].path, prefix, &length);
        bool first = name;
        for (int j = 0; j < k && first; j++) {
            const char *before = name_after(key[j].path, prefix, &other);
            first = !before || other != length || strncmp(before, name, length) != 0;
        }
        if (!first)
            continue;
        snprintf(path, sizeof path, "%.*s", (int)(name + length - key[k].path), key[k].path);
        fprintf(file, "%s\"%.*s\": ", separator, (int)length, name);
        put_schema(file, path);
        separator = ", ";
    }
    fputs("}, \"required\": [", file);
    separator = "";
    for (int k = 0; k < count; k++) {
        size_t length;
        const char *name = name_after(key[k].path, prefix, &length);
        if (!name || name[length] || key[k].fallback != KEY_REQUIRED || key[k].unless)
            continue;
        fprintf(file, "%s\"%s\"", separator, name);
        separator = ", ";
    }
    fputs("]", file);
}

void config_print_schema(FILE *file)
{
    fputs("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": \"a config of "
          "cardiac\", ",
          file);
    put_object(file, "");
    fputs("}\n", file);
}
