/* json.h: write JSON (RFC 8259) for other programs, one value per line, member by member.
 *
 *   struct json json = json_line(stdout);
 *   json_open(&json, NULL, '{');
 *   json_number(&json, "time", 12.5);
 *   json_open(&json, "regions", '[');      items of a list have the key NULL
 *   json_text(&json, NULL, "tp06-epi");
 *   json_close(&json);
 *   json_close(&json);                     closing the outermost value ends the line and flushes
 */
#ifndef CARDIAC_APP_UTIL_JSON_H
#define CARDIAC_APP_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 8 };

struct json {
    FILE *file;
    int depth;
    char end[JSON_DEPTH]; /* closing bracket of each open value */
    bool more;            /* a comma is needed before the next member */
};

struct json json_line(FILE *file);
void json_put_text(FILE *file, const char *text);                 /* in quotes */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json);
/* Writes the shortest decimal that reads back as the value; null if it is not finite, which JSON cannot express */
void json_number(struct json *json, const char *key, double value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_flag(struct json *json, const char *key, bool value);
/* Writes a string, null for NULL. Bytes that are not UTF-8 become U+FFFD. */
void json_text(struct json *json, const char *key, const char *text);
/* Writes a value that is already JSON. */
void json_value(struct json *json, const char *key, const char *value);

#endif
