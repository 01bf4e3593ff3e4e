/* xml.c: reads tags of XML. */
#include "app/meshio/vtk/xml.h"

#include <stdlib.h>
#include <string.h>

/* The next character, which must be there */
static enum status next_char(struct text_file *text, int *c, struct error *error)
{
    TRY(text_byte(text, c, error));
    return *c >= 0 ? STATUS_OK : text_error(text, error, "the file ends inside a tag: it is truncated");
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '-' || c == '.';
}

/* Leaves out everything up to and including `end` ("-->", "?>"), of which one character may come many times.
 */
static enum status skip_to(struct text_file *text, const char *end, struct error *error)
{
    char last[4] = "";
    size_t length = strlen(end);
    while (strcmp(last, end) != 0) {
        int c = 0;
        TRY(next_char(text, &c, error));
        size_t held = strlen(last);
        if (held == length) {
            memmove(last, last + 1, length);
            held--;
        }
        last[held] = (char)(c ? c : ' ');
        last[held + 1] = '\0';
    }
    return STATUS_OK;
}

/* A character of an attribute's value that is written as &amp; or &#65; */
static enum status read_entity(struct text_file *text, char *out, struct error *error)
{
    static const struct {
        const char *name;
        char c;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    char name[12] = "";
    size_t length = 0;
    int c = 0;
    TRY(next_char(text, &c, error));
    while (c != ';' && length + 1 < sizeof name) {
        name[length++] = (char)c;
        TRY(next_char(text, &c, error));
    }
    name[length] = '\0';
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name, known[k].name) == 0) {
            *out = known[k].c;
            return STATUS_OK;
        }
    bool hexadecimal = name[0] == '#' && name[1] == 'x';
    long code = name[0] == '#' ? strtol(name + 1 + hexadecimal, NULL, hexadecimal ? 16 : 10) : 0;
    if (code < 1 || code > 127)
        return text_error(text, error, "'&%s;' cannot be read", name);
    *out = (char)code;
    return STATUS_OK;
}

/* One more character of tag->text */
static enum status append_char(struct xml_tag *tag, size_t *used, char c, struct text_file *text,
                               struct error *error)
{
    if (*used == sizeof tag->text)
        return text_error(text, error, "a tag of more than %d characters", XML_TEXT);
    tag->text[(*used)++] = c;
    return STATUS_OK;
}

/* tag->text += a name that starts with c, and a zero; c <- what follows it */
static enum status read_name(struct xml_tag *tag, size_t *used, int *c, struct text_file *text,
                             struct error *error)
{
    if (!is_name(*c))
        return text_error(text, error, "a tag without a name: not valid XML");
    while (is_name(*c)) {
        TRY(append_char(tag, used, (char)*c, text, error));
        TRY(next_char(text, c, error));
    }
    return append_char(tag, used, '\0', text, error);
}

static enum status skip_blanks(struct text_file *text, int *c, struct error *error)
{
    while (is_blank(*c))
        TRY(next_char(text, c, error));
    return STATUS_OK;
}

/* name = "value", from the name's first character c to behind the value */
static enum status read_attribute(struct xml_tag *tag, size_t *used, int *c, struct text_file *text,
                                  struct error *error)
{
    if (tag->attributes == XML_ATTRIBUTES)
        return text_error(text, error, "a tag of more than %d attributes", XML_ATTRIBUTES);
    tag->attribute[tag->attributes].name = tag->text + *used;
    TRY(read_name(tag, used, c, text, error));
    TRY(skip_blanks(text, c, error));
    if (*c != '=')
        return text_error(text, error, "an attribute without a value: not valid XML");
    TRY(next_char(text, c, error));
    TRY(skip_blanks(text, c, error));
    int quote = *c;
    if (quote != '"' && quote != '\'')
        return text_error(text, error, "a value without quotes: not valid XML");
    tag->attribute[tag->attributes++].value = tag->text + *used;
    TRY(next_char(text, c, error));
    while (*c != quote) {
        char kept = (char)*c;
        if (*c == '&')
            TRY(read_entity(text, &kept, error));
        if (kept == '\0')
            return text_error(text, error, "a zero byte in a tag: not valid XML");
        TRY(append_char(tag, used, kept, text, error));
        TRY(next_char(text, c, error));
    }
    TRY(append_char(tag, used, '\0', text, error));
    return next_char(text, c, error);
}

/* A tag behind its "<", whose next character is c */
static enum status read_tag(struct xml_tag *tag, int c, struct text_file *text, struct error *error)
{
    size_t used = 0;
    tag->attributes = 0;
    tag->closes = c == '/';
    tag->opens = !tag->closes;
    if (tag->closes)
        TRY(next_char(text, &c, error));
    TRY(read_name(tag, &used, &c, text, error));
    if (used > sizeof tag->name)
        return text_error(text, error, "a tag's name of more than %d characters", (int)sizeof tag->name);
    memcpy(tag->name, tag->text, used);
    for (;;) {
        TRY(skip_blanks(text, &c, error));
        if (c == '>')
            return STATUS_OK;
        if (c == '/') {
            tag->closes = true;
            TRY(next_char(text, &c, error));
            return c == '>' ? STATUS_OK : text_error(text, error, "'/' within a tag: not valid XML");
        }
        TRY(read_attribute(tag, &used, &c, text, error));
    }
}

enum status xml_next(struct xml_tag *tag, struct text_file *text, bool inside, struct error *error)
{
    for (;; inside = false) {
        int c = inside ? '<' : 0;
        while (c != '<' && c >= 0)
            TRY(text_byte(text, &c, error));
        tag->opens = tag->closes = false;
        if (c < 0)
            return STATUS_OK;
        TRY(next_char(text, &c, error));
        if (c != '?' && c != '!')
            return read_tag(tag, c, text, error);
        if (c == '!') {
            int dash[2] = {0, 0};
            TRY(next_char(text, &dash[0], error));
            TRY(next_char(text, &dash[1], error));
            if (dash[0] != '-' || dash[1] != '-')
                return text_error(text, error, "'<!' that begins no comment: such XML is not read");
        }
        TRY(skip_to(text, c == '?' ? "?>" : "-->", error));
    }
}

const char *xml_value(const struct xml_tag *tag, const char *name)
{
    for (int k = 0; k < tag->attributes; k++)
        if (strcmp(tag->attribute[k].name, name) == 0)
            return tag->attribute[k].value;
    return NULL;
}
