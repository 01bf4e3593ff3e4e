/* import_text.h: a config as it is written, and from which lines of the parameter file each of its lines
 * comes.
 *
 * The config is written, read as `check` reads it, and written again without what was refused, until nothing
 * is. So what a part writes need not be in range, but each line must be settled with what it was made from.
 */
#ifndef CARDIAC_APP_COMMANDS_IMPORT_TEXT_H
#define CARDIAC_APP_COMMANDS_IMPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "app/commands/par_file.h"
#include "app/models/user_model.h"
#include "kernels/ionic/ionic.h"

enum { IMPORT_ITEMS = 1000, IMPORT_MODELS = 20, IMPORT_WORD = 80, IMPORT_PATH = 1000 };

/* A part of an entry's value; "": all of it */
struct import_word {
    int entry;
    char word[IMPORT_WORD], reason[200]; /* why it is refused */
};

/* Lines first to last of the config come from this entry. */
struct import_source {
    int first, last;
    struct import_word of;
};

struct import {
    struct par_file par;
    const char *path;
    FILE *out; /* to text */
    char *text;
    size_t length, settled; /* bytes written and settled */
    int lines;              /* settled */
    struct import_source *source;
    int sources, source_room;
    struct import_word *refused; /* parts of entries */
    int refusals, refused_room;
    FILE *notes; /* to note_text */
    char *note_text;
    size_t note_length;
    double step;                                    /* time.step, ms */
    const struct ionic_model *model[IMPORT_MODELS]; /* of the regions */
    int models;
    struct user_model *list;
};

/* Starts again: nothing is written, nothing used; what is refused stays so. */
enum status import_begin(struct import *import, struct error *error);
void import_free(struct import *import);

/* What was written since the last time is made from the entries used since then, or from one word of the
 * last. */
enum status import_settle(struct import *import, struct error *error);
enum status import_settle_word(struct import *import, const char *word, struct error *error);

/* Refuses what line `line` of the config was made from; *found <- true if there was something. */
enum status import_refuse_line(struct import *import, int line, const char *reason, bool *found,
                               struct error *error);
/* The same of the smallest block around the line that was made from anything. STATUS_INPUT with the reason if
 * there is none. */
enum status import_refuse_block(struct import *import, int line, const char *reason, struct error *error);
/* Why a part of an entry is refused, NULL = it is not */
const char *import_refused(const struct import *import, int entry, const char *word);

/* A warning that names the line of an entry, or none */
void import_warn(struct import *import, const struct par_entry *entry, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "key: NAME.ending" */
void import_file(struct import *import, const char *key, const char *name, const char *ending);
/* A time that is a whole number of steps, at least one unless it is 0; a warning says what it was. */
double import_time(struct import *import, const char *name, double ms);
/* The letters and digits after the last dot, in lower case */
void import_simplify(char *to, size_t room, const char *name);

/* text <- blanks for the commas, braces and brackets of a list */
void import_blank_lists(char *text);

/* import_shape.c. p[3] <- "NAME = 1 2 3", refused if it is not so, or NAME[0] ..., in um */
void import_point(struct import *import, const char *name, double p[3]);
/* "key[0 um, 0 um, 0 um]" */
void import_write_point(FILE *out, const char *key, const double p[3]);

enum {
    IMPORT_SHAPE_SPHERE = 1,
    IMPORT_SHAPE_BLOCK = 2,
    IMPORT_SHAPE_CYLINDER = 3
}; /* as openCARP numbers them */

struct import_shape {
    int kind;
    double p0[3], p1[3], radius; /* um; of a cylinder the ends of its axis */
};

/* The shape as a condition on x, y and z; false: there is no such shape */
bool import_where(FILE *out, const struct import_shape *shape);

/* The parts of a config */
enum status import_tissue(struct import *import, struct error *error);
enum status import_stimuli(struct import *import, double *pulses, struct error *error);
enum status import_run(struct import *import, double pulses, struct error *error);

#endif
