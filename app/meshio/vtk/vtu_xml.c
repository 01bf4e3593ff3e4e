/* vtu_xml.c: a scanner of tags. */
#include "app/meshio/vtk/vtu_xml.h"

#include <stdlib.h>
#include <string.h>

/* The next character, which must be there */
static enum status next(struct text_file *text, int *c, struct error *error)
{
    enum status status = text_byte(text, c, error);
    return status || *c >= 0 ? status
                             : text_error(text, error, "the file ends inside a tag: it is truncated");
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
    enum status status = STATUS_OK;
    while (!status && strcmp(last, end) != 0) {
        int c = 0;
        status = next(text, &c, error);
        size_t held = strlen(last);
        if (held == length) {
            memmove(last, last + 1, length);
            held--;
        }
        last[held] = (char)(c ? c : ' ');
        last[held + 1] = '\0';
    }
    return status;
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
    enum status status = next(text, &c, error);
    while (!status && c != ';' && length + 1 < sizeof name) {
        name[length++] = (char)c;
        status = next(text, &c, error);
    }
    name[length] = '\0';
    if (status)
        return status;
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
static enum status keep(struct vtu_xml *tag, size_t *used, char c, struct text_file *text,
                        struct error *error)
{
    if (*used == sizeof tag->text)
        return text_error(text, error, "a tag of more than %d characters", VTU_XML_TEXT);
    tag->text[(*used)++] = c;
    return STATUS_OK;
}

/* tag->text += a name that starts with c, and a zero; c <- what follows it */
static enum status read_name(struct vtu_xml *tag, size_t *used, int *c, struct text_file *text,
                             struct error *error)
{
    enum status status = STATUS_OK;
    if (!is_name(*c))
        return text_error(text, error, "a name is due in a tag: this is no XML");
    while (!status && is_name(*c)) {
        status = keep(tag, used, (char)*c, text, error);
        AND(next(text, c, error));
    }
    return status ? status : keep(tag, used, '\0', text, error);
}

static enum status skip_blanks(struct text_file *text, int *c, struct error *error)
{
    enum status status = STATUS_OK;
    while (!status && is_blank(*c))
        status = next(text, c, error);
    return status;
}

/* name = "value", from the name's first character c to behind the value */
static enum status read_attribute(struct vtu_xml *tag, size_t *used, int *c, struct text_file *text,
                                  struct error *error)
{
    if (tag->attributes == VTU_XML_ATTRIBUTES)
        return text_error(text, error, "a tag of more than %d attributes", VTU_XML_ATTRIBUTES);
    tag->attribute[tag->attributes].name = tag->text + *used;
    enum status status = read_name(tag, used, c, text, error);
    AND(skip_blanks(text, c, error));
    if (!status && *c != '=')
        return text_error(text, error, "an attribute without a value: this is no XML");
    AND(next(text, c, error));
    AND(skip_blanks(text, c, error));
    int quote = *c;
    if (!status && quote != '"' && quote != '\'')
        return text_error(text, error, "a value without quotes: this is no XML");
    tag->attribute[tag->attributes++].value = tag->text + *used;
    AND(next(text, c, error));
    while (!status && *c != quote) {
        char kept = (char)*c;
        if (*c == '&')
            status = read_entity(text, &kept, error);
        if (!status && kept == '\0')
            status = text_error(text, error, "a zero byte in a tag: this is no XML");
        AND(keep(tag, used, kept, text, error));
        AND(next(text, c, error));
    }
    AND(keep(tag, used, '\0', text, error));
    return status ? status : next(text, c, error);
}

/* A tag behind its "<", whose next character is c */
static enum status read_tag(struct vtu_xml *tag, int c, struct text_file *text, struct error *error)
{
    size_t used = 0;
    enum status status = STATUS_OK;
    tag->attributes = 0;
    tag->closes = c == '/';
    tag->opens = !tag->closes;
    if (tag->closes)
        status = next(text, &c, error);
    AND(read_name(tag, &used, &c, text, error));
    if (status)
        return status;
    if (used > sizeof tag->name)
        return text_error(text, error, "a tag's name of more than %d characters", (int)sizeof tag->name);
    memcpy(tag->name, tag->text, used);
    for (;;) {
        status = skip_blanks(text, &c, error);
        if (status || c == '>')
            return status;
        if (c == '/') {
            tag->closes = true;
            status = next(text, &c, error);
            return status || c == '>' ? status : text_error(text, error, "'/' within a tag: this is no XML");
        }
        if ((status = read_attribute(tag, &used, &c, text, error)))
            return status;
    }
}

enum status vtu_xml_next(struct vtu_xml *tag, struct text_file *text, bool inside, struct error *error)
{
    for (;; inside = false) {
        int c = inside ? '<' : 0;
        enum status status = STATUS_OK;
        while (!status && c != '<' && c >= 0)
            status = text_byte(text, &c, error);
        tag->opens = tag->closes = false;
        if (status || c < 0)
            return status;
        status = next(text, &c, error);
        if (status)
            return status;
        if (c != '?' && c != '!')
            return read_tag(tag, c, text, error);
        if (c == '!') {
            int dash[2] = {0, 0};
            status = next(text, &dash[0], error);
            AND(next(text, &dash[1], error));
            if (!status && (dash[0] != '-' || dash[1] != '-'))
                return text_error(text, error, "'<!' that begins no comment: such XML is not read");
        }
        AND(skip_to(text, c == '?' ? "?>" : "-->", error));
        if (status)
            return status;
    }
}

const char *vtu_xml_value(const struct vtu_xml *tag, const char *name)
{
    for (int k = 0; k < tag->attributes; k++)
        if (strcmp(tag->attribute[k].name, name) == 0)
            return tag->attribute[k].value;
    return NULL;
}
