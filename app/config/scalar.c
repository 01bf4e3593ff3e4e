/* scalar.c: read numbers, choices and texts, and write values. */
#include "app/config/value.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/printed.h"
#include "kernels/base/suggest.h"
#include "app/util/path.h"
#include "app/util/text_media.h"

static void *field_of(const struct key *key, void *base)
{
    return (char *)base + key->offset;
}

static const void *const_field_of(const struct key *key, const void *base)
{
    return (const char *)base + key->offset;
}

/* "must be positive" and the like, or "" when value is allowed */
static const char *range_complaint(const struct key *key, double value, char *text, size_t size)
{
    bool low_ok = key->above ? value > key->low : value >= key->low;
    text[0] = 0;
    if (!(key->low < key->high) || (low_ok && value <= key->high))
        return text;
    if (isinf(key->high))
        snprintf(text, size, "must be %s", key->above ? "positive" : "0 or more");
    else
        snprintf(text, size, "must be %s %g and at most %g", key->above ? "above" : "at least", key->low,
                 key->high);
    return text;
}

static enum status require_scalar(struct reader *reader, const struct tree *node, const char *name)
{
    if (node->kind != TREE_SCALAR)
        return reader_error(reader, node, name, "expected one value, not a %s",
                            node->kind == TREE_LIST ? "list" : "map");
    return STATUS_OK;
}

static enum status read_double(struct reader *reader, const struct key *key, const struct tree *node,
                               const char *name, double *value)
{
    TRY(require_scalar(reader, node, name));
    struct error reason;
    if (units_read(value, node->text, key->quantity, &reason))
        return reader_error(reader, node, name, "%s", reason.text);
    char text[80];
    if (*range_complaint(key, *value, text, sizeof text))
        return reader_error(reader, node, name, "'%.80s' %s", node->text, text);
    return STATUS_OK;
}

static enum status read_vector(struct reader *reader, const struct key *key, const struct tree *node,
                               const char *name, double *value)
{
    if (node->kind != TREE_LIST || node->children != (int)key->size)
        return reader_error(reader, node, name, "expected a list of %d numbers, such as %s", (int)key->size,
                            key->size == 2 ? "[10 mm, 5 mm]" : "[10 mm, 5 mm, 0 mm]");
    int i = 0;
    for (const struct tree *item = node->child; item; item = item->next, i++) {
        TRY(read_double(reader, key, item, name, &value[i]));
    }
    return STATUS_OK;
}

enum status scalar_read_whole(struct reader *reader, const struct tree *node, const char *name, int64_t low,
                              int64_t high, int64_t *value)
{
    TRY(require_scalar(reader, node, name));
    const char *digits = node->text + (*node->text == '-' || *node->text == '+');
    errno = 0;
    long long number = strtoll(node->text, NULL, 10);
    if (!*digits || digits[strspn(digits, "0123456789")])
        return reader_error(reader, node, name, "'%.80s' is not a whole number", node->text);
    if (errno || number < low || number > high)
        return reader_error(reader, node, name, "'%.80s' must be at least %" PRId64 " and at most %" PRId64,
                            node->text, low, high);
    *value = number;
    return STATUS_OK;
}

static enum status read_choice(struct reader *reader, const char *const *choice, const char *path,
                               const struct tree *node, const char *name, int *value)
{
    TRY(require_scalar(reader, node, name));
    char all[300] = "";
    struct suggestion suggestion = suggest_for(node->text);
    for (*value = 0; choice[*value]; (*value)++) {
        if (suggest_try(&suggestion, choice[*value]))
            return STATUS_OK;
        printed_item(all, sizeof all, "%s", choice[*value]);
    }
    const struct removed_key *removed = config_removed(path, node->text);
    if (removed)
        return reader_error(reader, node, name, "'%s' is %s", removed->word, removed->instead);
    return reader_error(reader, node, name, "'%.80s' is not one of %s%s", node->text, all,
                        suggest_hint(&suggestion));
}

static const char *const off_on[] = {"off", "on", NULL};

static enum status read_bool(struct reader *reader, const struct key *key, const struct tree *node,
                             const char *name, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes"};
    int chosen;
    for (int i = 0; node->kind == TREE_SCALAR && !key->choice && i < 4; i++)
        if (strcmp(node->text, words[i]) == 0) {
            *value = i % 2;
            return STATUS_OK;
        }
    enum status status =
        read_choice(reader, key->choice ? key->choice : off_on, key->path, node, name, &chosen);
    if (!status)
        *value = chosen;
    return status;
}

enum status scalar_read_text(struct reader *reader, const struct tree *node, const char *name,
                             const char **value)
{
    TRY(require_scalar(reader, node, name));
    if (strlen(node->text) > 4096)
        return reader_error(reader, node, name, "longer than 4096 bytes");
    *value = arena_text(&reader->config->memory, node->text, strlen(node->text));
    return *value ? STATUS_OK : error_memory(reader->error, name, 4096);
}

/* Reads a text; an empty one counts as not given if the key is optional. */
static enum status read_text(struct reader *reader, const struct key *key, const struct tree *node,
                             const char *name, const char **value)
{
    enum status status = scalar_read_text(reader, node, name, value);
    if (!status && strpbrk(*value, "\n\r")) /* in a log it could imitate a line of the program */
        return reader_error(reader, node, name, "contains a line break");
    if (status || **value)
        return status;
    *value = NULL;
    return key->fallback ? reader_error(reader, node, name, "is empty") : STATUS_OK;
}

static enum status read_path(struct reader *reader, const struct tree *node, const char *name,
                             const char **value)
{
    if (node->kind != TREE_SCALAR)
        return reader_error(reader, node, name, "expected the name of a file, not a %s; the file has the %s",
                            node->kind == TREE_LIST ? "list" : "map",
                            node->kind == TREE_LIST ? "list" : "values");
    enum status status = scalar_read_text(reader, node, name, value);
    if (!status && !**value)
        return reader_error(reader, node, name, "is empty; a file name is required");
    if (status || **value == '/' || !*reader->directory)
        return status;
    *value = arena_print(&reader->config->memory, "%s/%s", reader->directory, *value);
    return *value ? STATUS_OK : error_memory(reader->error, name, 4096);
}

static enum status read_device(struct reader *reader, const struct tree *node, const char *name,
                               const char **value)
{
    TRY(scalar_read_text(reader, node, name, value));
    const char *number = strncmp(*value, "cuda:", 5) == 0 ? *value + 5 : "x";
    size_t digits = strspn(number, "0123456789");
    if (strcmp(*value, "auto") && strcmp(*value, "cpu") && strncmp(*value, "cpu-", 4) &&
        strcmp(*value, "cuda") && (digits == 0 || digits > 4 || number[digits]))
        return reader_error(reader, node, name, "'%.80s' is not one of auto, cpu, cuda, cuda:N%s", *value,
                            strcasecmp(*value, "gpu") == 0 || strcasecmp(*value, "cuda") == 0
                                ? " (did you mean 'cuda'?)"
                                : "");
    return STATUS_OK;
}

static enum status read_int(struct reader *reader, const struct key *key, const struct tree *node,
                            const char *name, void *field)
{
    int64_t whole;
    TRY(scalar_read_whole(reader, node, name, (int64_t)key->low, (int64_t)key->high, &whole));
    if (key->type == KEY_INT)
        *(int *)field = (int)whole;
    else
        *(int64_t *)field = whole;
    return STATUS_OK;
}

enum status scalar_read(struct reader *reader, const struct key *key, const struct tree *node,
                        const char *name, void *base)
{
    void *field = field_of(key, base);
    if (yaml_tree_is_null(node))
        return reader_error(reader, node, name, "has no value");
    switch (key->type) {
    case KEY_NUMBER:
        return read_double(reader, key, node, name, field);
    case KEY_VECTOR:
        return read_vector(reader, key, node, name, field);
    case KEY_INT:
    case KEY_INT64:
        return read_int(reader, key, node, name, field);
    case KEY_CHOICE:
        return read_choice(reader, key->choice, key->path, node, name, field);
    case KEY_BOOL:
        return read_bool(reader, key, node, name, field);
    case KEY_TEXT:
        return read_text(reader, key, node, name, field);
    case KEY_PATH:
        return read_path(reader, node, name, field);
    default:
        return read_device(reader, node, name, field);
    }
}

bool scalar_given(const struct key *key, const void *base)
{
    const void *field = const_field_of(key, base);
    switch (key->type) {
    case KEY_NUMBER:
    case KEY_VECTOR:
        return !isnan(*(const double *)field);
    case KEY_TEXT:
    case KEY_PATH:
    case KEY_WHERE:
    case KEY_FACTOR:
    case KEY_LIST:
        return *(void *const *)field != NULL;
    case KEY_INT:
        return *(const int *)field != INT_MIN;
    default:
        return true;
    }
}

/* Writes the first character of a quoted text. Escapes what YAML requires, including U+0080 to U+009F (C2 80
 * ..), U+FFFE and U+FFFF (EF BF BE, ..), and bytes that are not UTF-8, so that the output can be parsed. Returns
 * the character's length in bytes. */
static int write_character(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    if (*at == 0xc2 && at[1] < 0xa0) {
        fprintf(file, "\\x%02x", at[1]);
        return 2;
    }
    if (*at == 0xef && at[1] == 0xbf && at[2] >= 0xbe) {
        fprintf(file, "\\uff%02x", 0x40 + at[2]);
        return 3;
    }
    int length = text_utf8_length(text);
    if (!length) {
        fprintf(file, "\\x%02x", *at);
        return 1;
    }
    if (length > 1) {
        fwrite(text, 1, (size_t)length, file);
        return length;
    }
    if (*at == '"' || *at == '\\')
        fprintf(file, "\\%c", *at);
    else if (*at < 0x20 || *at == 0x7f)
        fprintf(file, "\\x%02x", *at);
    else
        fputc(*at, file);
    return 1;
}

void scalar_write_text(FILE *file, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char *const words[] = {"null", "Null", "NULL"};
    bool plain =
        *text && strspn(text, letters) > 0 &&
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == strlen(text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        plain = plain && strcmp(text, words[i]) != 0;
    if (plain) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    while (*text)
        text += write_character(file, text);
    fputc('"', file);
}

static struct tree *word(struct arena *arena, const char *text)
{
    char *copy = arena_text(arena, text, strlen(text));
    return copy ? yaml_tree_new(arena, TREE_SCALAR, copy) : NULL;
}

struct tree *scalar_number_tree(struct arena *arena, double value, enum quantity quantity)
{
    char text[80];
    return word(arena, units_write(text, sizeof text, value, quantity));
}

struct tree *scalar_whole_tree(struct arena *arena, int64_t value)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRId64, value);
    return word(arena, text);
}

struct tree *scalar_text_tree(struct arena *arena, const char *text, bool file)
{
    struct tree *node = yaml_tree_new(arena, TREE_SCALAR, text);
    if (node)
        node->quoted = true;
    if (node)
        node->file = file;
    return node;
}

static struct tree *vector_tree(struct arena *arena, const double *vector, size_t size,
                                enum quantity quantity)
{
    struct tree *list = yaml_tree_new(arena, TREE_LIST, NULL);
    for (size_t i = 0; i < size && list; i++) {
        struct tree *item = scalar_number_tree(arena, vector[i], quantity);
        if (!item)
            return NULL;
        yaml_tree_append(list, NULL, item);
    }
    return list;
}

struct tree *scalar_tree(struct arena *arena, const struct key *key, const void *base)
{
    const void *field = const_field_of(key, base);
    switch (key->type) {
    case KEY_NUMBER:
        return scalar_number_tree(arena, *(const double *)field, key->quantity);
    case KEY_CURRENT:
        return scalar_number_tree(arena, *(const double *)field, QUANTITY_CURRENT);
    case KEY_VECTOR:
        return vector_tree(arena, field, key->size, key->quantity);
    case KEY_INT:
        return scalar_whole_tree(arena, *(const int *)field);
    case KEY_INT64:
        return scalar_whole_tree(arena, *(const int64_t *)field);
    case KEY_CHOICE:
        return yaml_tree_new(arena, TREE_SCALAR, key->choice[*(const int *)field]);
    case KEY_BOOL:
        return yaml_tree_new(arena, TREE_SCALAR, (key->choice ? key->choice : off_on)[*(const bool *)field]);
    case KEY_MODEL:
        return yaml_tree_new(arena, TREE_SCALAR, (*(const struct ionic_model *const *)field)->name);
    case KEY_WHERE:
    case KEY_FACTOR:
        return scalar_text_tree(arena, (*(const struct where *const *)field)->text, false);
    default:
        return scalar_text_tree(arena, *(const char *const *)field, key->type == KEY_PATH);
    }
}

void value_write(FILE *file, const struct tree *node)
{
    char whole[PATH_WHOLE];
    if (node->kind == TREE_SCALAR && !node->quoted)
        fputs(node->text, file);
    else if (node->kind == TREE_SCALAR)
        scalar_write_text(file, node->file ? path_whole(whole, node->text) : node->text);
    if (node->kind == TREE_SCALAR)
        return;
    fputc(node->kind == TREE_LIST ? '[' : '{', file);
    for (const struct tree *child = node->child; child; child = child->next) {
        if (child->key) {
            scalar_write_text(file, child->key);
            fputs(": ", file);
        }
        value_write(file, child);
        fputs(child->next ? ", " : "", file);
    }
    fputc(node->kind == TREE_LIST ? ']' : '}', file);
}

enum status scalar_read_where(struct reader *reader, const struct tree *node, const char *name,
                              enum where_kind kind, const struct where **where)
{
    struct error found = {.text = "expected an expression, such as transmural < 0.3"};
    struct where *read = NULL;
    int at = 0;
    if (node->kind == TREE_SCALAR &&
        !where_parse(&read, &reader->config->memory, node->text, kind, &at, &found)) {
        *where = read;
        return STATUS_OK;
    }
    if (found.status == STATUS_RUN)
        return error_set(reader->error, STATUS_RUN, "%s", found.text);
    return reader_error_within(reader, node, name, at, found.text);
}
