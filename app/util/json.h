/* json.h: writing JSON for other programs (RFC 8259), one value per line, member by member.
 *
 *   struct json json = json_line(stdout);
 *   json_open(&json, NULL, '{');
 *   json_number(&json, "time", 12.5);
 *   json_open(&json, "regions", '[');      members of a list have no key: NULL
 *   json_text(&json, NULL, "tp06-epi");
 *   json_close(&json);
 *   json_close(&json);                     the last one ends the line and flushes it
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
    char end[JSON_DEPTH]; /* that of each value that is open */
    bool more;            /* a member stands before the next */
};

struct json json_line(FILE *file);
void json_put_text(FILE *file, const char *text);                 /* in quotes */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json);
/* The shortest decimal that reads back as the value; null where it is not finite, which JSON cannot
 * express */
void json_number(struct json *json, const char *key, double value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_flag(struct json *json, const char *key, bool value);
/* null for NULL. Bytes that are no UTF-8 become U+FFFD. */
void json_text(struct json *json, const char *key, const char *text);
/* A value that is JSON already */
void json_value(struct json *json, const char *key, const char *value);

#endif
