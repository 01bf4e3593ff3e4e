/* json.c: see json.h. */
#include "app/util/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "app/util/scan.h"
#include "app/util/text_media.h"

void json_put_text(FILE *file, const char *text)
{
    fputc('"', file);
    text_media_put(file, TEXT_JSON, text);
    fputc('"', file);
}

static void put_key(struct json *json, const char *key)
{
    if (json->more)
        fputs(", ", json->file);
    json->more = true;
    if (key) {
        json_put_text(json->file, key);
        fputs(": ", json->file);
    }
}

struct json json_line(FILE *file)
{
    return (struct json){.file = file};
}

void json_open(struct json *json, const char *key, char bracket)
{
    assert(json->depth < JSON_DEPTH);
    put_key(json, key);
    fputc(bracket, json->file);
    json->end[json->depth++] = bracket == '{' ? '}' : ']';
    json->more = false;
}

void json_close(struct json *json)
{
    fputc(json->end[--json->depth], json->file);
    json->more = json->depth > 0;
    if (json->depth == 0) {
        fputc('\n', json->file);
        fflush(json->file);
    }
}

void json_number(struct json *json, const char *key, double value)
{
    char text[40] = "null";
    if (isfinite(value))
        scan_number_text(text, value, 0);
    put_key(json, key);
    fputs(text, json->file);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    put_key(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void json_flag(struct json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_text(struct json *json, const char *key, const char *text)
{
    put_key(json, key);
    if (text)
        json_put_text(json->file, text);
    else
        fputs("null", json->file);
}

void json_value(struct json *json, const char *key, const char *value)
{
    put_key(json, key);
    fputs(value, json->file);
}
