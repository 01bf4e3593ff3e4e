/* gmsh.c: the numbers and lines that the sections of a .msh file are made of. */
#include "app/meshio/gmsh/gmsh.h"

#include <stdio.h>
#include <string.h>

enum status gmsh_line(struct gmsh *gmsh, const char *what, struct error *error)
{
    bool more;
    do {
        enum status status = text_line(&gmsh->text, &more, error);
        if (status)
            return status;
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
    enum status status = gmsh_line(gmsh, line, error);
    if (status)
        return status;
    const char *place = gmsh->text.cursor;
    text_word(&gmsh->text, word, sizeof word);
    if (strcmp(word, line) == 0)
        return text_end_of_line(&gmsh->text, error);
    gmsh->text.cursor = place;
    return text_error(&gmsh->text, error, "'%s' where %s is due: the section holds more than it announced",
                      word, line);
}

enum status gmsh_skip(struct gmsh *gmsh, const char *end, struct error *error)
{
    size_t length = strlen(end), matched = 0;
    /* the line that opened the section is done; what follows may be binary. '$' only starts `end`, so a
     * mismatch falls back to its first letter or to none */
    while (matched < length) {
        char c;
        enum status status = text_bytes(&gmsh->text, &c, 1, end, error);
        if (status)
            return status;
        gmsh->text.line += c == '\n';
        matched = c == end[matched] ? matched + 1 : c == end[0];
    }
    bool more;
    enum status status = text_line(&gmsh->text, &more, error); /* the rest of the $End line */
    return status ? status : text_end_of_line(&gmsh->text, error);
}

/* Sees to it that the current line has a word left. */
static enum status next_word(struct gmsh *gmsh, const char *what, struct error *error)
{
    return text_has_word(&gmsh->text) ? STATUS_OK : gmsh_line(gmsh, what, error);
}

static enum status word_integer(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error)
{
    enum status status = next_word(gmsh, what, error);
    return status ? status : text_integer(&gmsh->text, value, what, error);
}

/* out[bytes] <- one number in this machine's byte order */
static enum status raw(struct gmsh *gmsh, void *out, size_t bytes, const char *what, struct error *error)
{
    unsigned char number[8];
    enum status status = text_bytes(&gmsh->text, number, bytes, what, error);
    for (size_t i = 0; i < bytes && !status; i++)
        ((unsigned char *)out)[i] = number[gmsh->swapped ? bytes - 1 - i : i];
    return status;
}

enum status gmsh_int(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error)
{
    enum status status;
    if (gmsh->binary) {
        int32_t number = 0;
        status = raw(gmsh, &number, sizeof number, what, error);
        *value = number;
        return status;
    }
    status = word_integer(gmsh, value, what, error);
    if (!status && (*value < INT32_MIN || *value > INT32_MAX))
        return text_error(&gmsh->text, error, "%s: %lld does not fit 32 bits", what, (long long)*value);
    return status;
}

enum status gmsh_size(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error)
{
    if (gmsh->binary)
        return raw(gmsh, value, sizeof *value, what, error);
    return word_integer(gmsh, value, what, error);
}

enum status gmsh_real(struct gmsh *gmsh, double *value, const char *what, struct error *error)
{
    if (gmsh->binary)
        return raw(gmsh, value, sizeof *value, what, error);
    enum status status = next_word(gmsh, what, error);
    return status ? status : text_number(&gmsh->text, 0, value, what, error);
}

enum status gmsh_count(struct gmsh *gmsh, int64_t *count, int ascii_bytes, int binary_bytes, const char *what,
                       struct error *error)
{
    enum status status =
        gmsh->version == 4 ? gmsh_size(gmsh, count, what, error) : gmsh_int(gmsh, count, what, error);
    return status ? status
                  : format_claimed_count(&gmsh->text, *count, gmsh->binary ? binary_bytes : ascii_bytes, what,
                                         error);
}

/* The int 1 that a binary file starts with tells its byte order. */
static enum status read_byte_order(struct gmsh *gmsh, struct error *error)
{
    int64_t one;
    enum status status = gmsh_int(gmsh, &one, "the byte order mark", error);
    if (status || one == 1)
        return status;
    if (one != 0x01000000)
        return text_error(&gmsh->text, error, "the byte order mark is %lld instead of 1", (long long)one);
    gmsh->swapped = true;
    return STATUS_OK;
}

enum status gmsh_read_format(struct gmsh *gmsh, struct error *error)
{
    char version[16];
    int64_t type = 0, size = 0;
    enum status status = gmsh_line(gmsh, "the version", error);
    if (status)
        return status;
    text_word(&gmsh->text, version, sizeof version);
    gmsh->version = strcmp(version, "4.1") == 0 ? 4 : strcmp(version, "2.2") == 0 ? 2 : 0;
    if (gmsh->version == 0)
        return text_error(&gmsh->text, error,
                          "version '%s' of the Gmsh format cannot be read; save the mesh as 4.1 or 2.2",
                          version);
    status = text_integer(&gmsh->text, &type, "the file type", error);
    AND(text_integer(&gmsh->text, &size, "the data size", error));
    if (!status && (type < 0 || type > 1 || size != 8))
        return text_error(&gmsh->text, error, "file type %lld with data size %lld; there are 0 and 1, with 8",
                          (long long)type, (long long)size);
    AND(text_end_of_line(&gmsh->text, error));
    gmsh->binary = type == 1;
    if (!status && gmsh->binary)
        status = read_byte_order(gmsh, error);
    snprintf(gmsh->notes->format, sizeof gmsh->notes->format, "Gmsh %s %s", version,
             gmsh->binary ? "binary" : "ASCII");
    return status ? status : gmsh_expect(gmsh, "$EndMeshFormat", error);
}
