/* where.h: an expression of places: a condition, or a number at each.
 *
 *   or     := and { "or" and }
 *   and    := not { "and" not }
 *   not    := "not" not | chain
 *   chain  := sum { ("<" | "<=" | ">" | ">=" | "=" | "==" | "!=") sum }       a < b <= c is a < b and b <= c
 *   sum    := term { ("+" | "-") term }
 *   term   := sign { ("*" | "/") sign }
 *   sign   := "-" sign | item
 *   item   := "(" or ")" | number [unit] | "x" | "y" | "z" | name | "distance_to" "(" (name | digits) ")"
 *           | "tag" ("=" | "!=") (whole number | name)
 *           | "box" "(" point "," point ")" | "ball" "(" point "," length ")" | "random" "(" sum "," seed ")"
 *   point  := "[" length "," length "," length "]"
 *
 * A name is letters, digits, "_" and ".", or anything in quotes. Coordinates, distances and what has a unit
 * are lengths; a sum, a comparison is of like with like: powers of the length are kept. Everything is fp64
 * and of + - * / and comparisons alone, so a value depends on its place and nothing else. */
#ifndef CARDIAC_APP_CONFIG_WHERE_WHERE_H
#define CARDIAC_APP_CONFIG_WHERE_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"

/* WHERE_DEEP: parentheses, signs and "not" in each other; WHERE_BLOCK: places that are evaluated together */
enum { WHERE_LONGEST = 4096, WHERE_DEEP = 40, WHERE_BLOCK = 256 };

enum where_kind { WHERE_CONDITION, WHERE_FACTOR };

enum where_operation {
    WHERE_NUMBER,
    WHERE_COORDINATE, /* x, y or z: `number` is 0, 1, 2 */
    WHERE_NAME,
    WHERE_DISTANCE, /* to the surface `name` */
    WHERE_TAG,      /* 1 where the tag is `name`, or `number` when that is NULL */
    WHERE_BOX,      /* numbers[6]: low, high */
    WHERE_BALL,     /* numbers[4]: centre, radius */
    WHERE_RANDOM,   /* of the probability before it; `number` is the seed */
    WHERE_NEGATE,
    WHERE_NOT,
    WHERE_ADD,
    WHERE_SUBTRACT,
    WHERE_MULTIPLY,
    WHERE_DIVIDE,
    WHERE_LESS,
    WHERE_LESS_EQUAL,
    WHERE_EQUAL,
    WHERE_NOT_EQUAL,
    WHERE_AND,
    WHERE_OR
};

/* A node of the tree, behind those of its operands */
struct where_step {
    enum where_operation operation;
    int at; /* characters of the text before it */
    double number;
    const double *numbers;
    const char *name;
};

struct where {
    const char *text;
    struct where_step *step; /* [steps] in post-order */
    int steps;
    int depth; /* values that are held at once, at most */
};

/* *where <- text (whose copy it keeps), in the arena. STATUS_INPUT: the error says what is wrong with what
 * and what would be right, and *at how many characters stand before it. */
enum status where_parse(struct where **where, struct arena *arena, const char *text, enum where_kind kind,
                        int *at, struct error *error);

/* Places, numbered as in the mesh's file. */
struct where_places {
    const void *data;
    double slack; /* mm that boxes and balls are larger */
    /* out[count] <- of places first .. first + count - 1, for step k of the expression: a WHERE_COORDINATE,
     * WHERE_NAME, WHERE_DISTANCE or WHERE_TAG; k = -1 - axis: a coordinate that no step is */
    void (*values)(const void *data, int k, int64_t first, int count, double *out);
};

/* out[count] <- the values at places first .. first + count - 1; conditions are 1 or 0. STATUS_RUN without
 * memory. */
enum status where_evaluate(const struct where *where, const struct where_places *places, int64_t first,
                           int64_t count, double *out, struct error *error);

/* Whether p lies in the closed box or ball, made larger by slack, mm */
bool where_in_box(const double p[3], const double low[3], const double high[3], double slack);
bool where_in_ball(const double p[3], const double centre[3], double radius, double slack);

/* In [0, 1): number `place` of the sequence that SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi
 * 10.1145/2660193.2660195) gives from its own first number for the seed */
double where_random(uint64_t seed, int64_t place);

#endif
