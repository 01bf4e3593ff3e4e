/* gmsh_numbers.c: reads numbers and lines of a .msh file, ASCII or binary. */
#include "app/meshio/gmsh/gmsh_numbers.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"

#include <stdlib.h>
#include <string.h>

enum status number_map_add(struct number_map *map, int64_t number, struct error *error)
{
    TRY(array_grow((void **)&map->entry, &map->room, map->count, sizeof *map->entry, "the mesh", error));
    int64_t last = map->count ? map->entry[map->count - 1].number : 0;
    map->consecutive = map->count == 0 || (map->consecutive && number > last && number - 1 == last);
    map->entry[map->count] = (struct number_entry){number, map->count};
    map->count++;
    return STATUS_OK;
}

bool number_map_close(struct number_map *map, int64_t *twice)
{
    if (map->consecutive || map->count == 0)
        return false;
    qsort(map->entry, (size_t)map->count, sizeof *map->entry, compare_int64);
    for (int64_t i = 1; i < map->count; i++)
        if (map->entry[i].number == map->entry[i - 1].number) {
            *twice = map->entry[i].number;
            return true;
        }
    return false;
}

int64_t number_map_find(const struct number_map *map, int64_t number)
{
    if (map->count == 0 || number < map->entry[0].number)
        return -1;
    if (map->consecutive) {
        uint64_t index = (uint64_t)number - (uint64_t)map->entry[0].number;
        return index < (uint64_t)map->count ? (int64_t)index : -1;
    }
    const struct number_entry key = {number, 0};
    const struct number_entry *found =
        bsearch(&key, map->entry, (size_t)map->count, sizeof key, compare_int64);
    return found ? found->index : -1;
}

void number_map_free(struct number_map *map)
{
    free(map->entry);
    *map = (struct number_map){0};
}

enum status gmsh_line(struct gmsh *gmsh, const char *what, struct error *error)
{
    bool more;
    do {
        TRY(text_line(&gmsh->text, &more, error));
        if (!more)
            return text_error(&gmsh->text, error, "the file ends before %s: it is truncated", what);
    } while (!text_has_word(&gmsh->text));
    return STATUS_OK;
}

enum status gmsh_expect(struct gmsh *gmsh, const char *line, struct error *error)
{
    if (text_has_word(&gmsh->text))
        return text_end_of_line(&gmsh->text, error);
    char word[32];
    TRY(gmsh_line(gmsh, line, error));
    const char *begin = gmsh->text.cursor;
    text_word(&gmsh->text, word, sizeof word);
    if (strcmp(word, line) == 0)
        return text_end_of_line(&gmsh->text, error);
    gmsh->text.cursor = begin;
    return text_error(&gmsh->text, error,
                      "'%s' where %s is expected: the section holds more than it declared", word, line);
}

enum status gmsh_skip(struct gmsh *gmsh, const char *end, struct error *error)
{
    size_t length = strlen(end), matched = 0;
    /* the line that opened the section is done; what follows may be binary. '$' only starts `end`, so a
     * mismatch falls back to its first letter or to none */
    while (matched < length) {
        char c;
        TRY(text_bytes(&gmsh->text, &c, 1, end, error));
        gmsh->text.line += c == '\n';
        matched = c == end[matched] ? matched + 1 : c == end[0];
    }
    bool more;
    TRY(text_line(&gmsh->text, &more, error)); /* the rest of the $End line */
    return text_end_of_line(&gmsh->text, error);
}

/* Moves to the next line with a word unless the current one has one left. */
static enum status next_word(struct gmsh *gmsh, const char *what, struct error *error)
{
    return text_has_word(&gmsh->text) ? STATUS_OK : gmsh_line(gmsh, what, error);
}

static enum status word_integer(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error)
{
    TRY(next_word(gmsh, what, error));
    return text_integer(&gmsh->text, value, what, error);
}

/* out[bytes] <- one number in this machine's byte order */
static enum status read_raw(struct gmsh *gmsh, void *out, size_t bytes, const char *what, struct error *error)
{
    unsigned char number[8];
    TRY(text_bytes(&gmsh->text, number, bytes, what, error));
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)out)[i] = number[gmsh->swapped ? bytes - 1 - i : i];
    return STATUS_OK;
}

enum status gmsh_int(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error)
{
    if (gmsh->binary) {
        int32_t number = 0;
        TRY(read_raw(gmsh, &number, sizeof number, what, error));
        *value = number;
        return STATUS_OK;
    }
    TRY(word_integer(gmsh, value, what, error));
    if (*value < INT32_MIN || *value > INT32_MAX)
        return text_error(&gmsh->text, error, "%s: %lld does not fit 32 bits", what, (long long)*value);
    return STATUS_OK;
}

enum status gmsh_size(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error)
{
    if (gmsh->binary)
        return read_raw(gmsh, value, sizeof *value, what, error);
    return word_integer(gmsh, value, what, error);
}

enum status gmsh_real(struct gmsh *gmsh, double *value, const char *what, struct error *error)
{
    if (gmsh->binary)
        return read_raw(gmsh, value, sizeof *value, what, error);
    TRY(next_word(gmsh, what, error));
    return text_number(&gmsh->text, 0, value, what, error);
}

enum status gmsh_count(struct gmsh *gmsh, int64_t *count, int ascii_bytes, int binary_bytes, const char *what,
                       struct error *error)
{
    TRY(gmsh->version == 4 ? gmsh_size(gmsh, count, what, error) : gmsh_int(gmsh, count, what, error));
    return format_claimed_count(&gmsh->text, *count, gmsh->binary ? binary_bytes : ascii_bytes, what, error);
}
