/* test_where.c: expressions of places against the same written in C, and what is refused where in the text.
 */
#include "app/config/where.h"
#include "tests/support/check.h"

#include <string.h>

enum { POSITIONS = 1337 }; /* no multiple of a block */

static double axis_at(int axis, int64_t i)
{
    return (double)((i * (17 + 6 * axis)) % 101) / 10 - 2.5;
}

static bool has_tag(const struct tag_list *tags, int32_t tag)
{
    bool has = false;
    for (int k = 0; k < tags->count; k++)
        has = has || tag == (tags->name[k] ? 2 : tags->tag[k]);
    return has;
}

/* names: "f" rises from 0, "g" falls from 1; distance to lv: i / 100 mm; tag i % 5, of which 2 is "scar" */
static void values(const void *data, int k, int64_t first, int count, double *out)
{
    const struct where *where = data;
    for (int i = 0; i < count; i++) {
        int64_t index = first + i;
        const struct where_leaf *leaf = k < 0 ? NULL : where->leaf + k;
        if (!leaf)
            out[i] = axis_at(-1 - k, index);
        else if (leaf->kind == WHERE_COORDINATE)
            out[i] = axis_at((int)leaf->number, index);
        else if (leaf->kind == WHERE_SURFACE)
            out[i] = index % 7 == 0;
        else if (leaf->kind == WHERE_SEGMENT)
            out[i] = index % 18 == leaf->number;
        else if (leaf->kind == WHERE_DISTANCE)
            out[i] = (double)index / 100;
        else if (leaf->kind == WHERE_TAG)
            out[i] = (double)has_tag(leaf->tags, (int32_t)(index % 5));
        else
            out[i] = leaf->name[0] == 'f' ? (double)index / POSITIONS : 1 - (double)index / POSITIONS;
    }
}

static struct where *parsed(struct arena *arena, const char *text, enum where_kind kind)
{
    struct error error = {0};
    struct where *where = NULL;
    int at;
    CHECK(where_parse(&where, arena, text, kind, &at, &error) == STATUS_OK, "%s: %d: %s", text, at,
          error.text);
    return where;
}

static void evaluate(const char *text, enum where_kind kind, double *out)
{
    struct arena arena = {0};
    struct error error = {0};
    struct where *where = parsed(&arena, text, kind);
    const struct where_values points = {where, 1e-9, values};
    CHECK_OK(where_evaluate(where, &points, 0, POSITIONS, out, &error), error);
    arena_free(&arena);
}

#define X axis_at(0, i)
#define Y axis_at(1, i)
#define Z axis_at(2, i)
#define F ((double)i / POSITIONS)
#define G (1 - F)
#define SQUARE(a) ((a) * (a))

/* text is true at exactly the places where `expression` is, and at some but not at all of them */
#define SAME(text, expression)                                                                               \
    do {                                                                                                     \
        double out[POSITIONS];                                                                               \
        int held = 0;                                                                                        \
        evaluate(text, WHERE_CONDITION, out);                                                                \
        for (int64_t i = 0; i < POSITIONS; i++) {                                                            \
            CHECK(out[i] == (double)(expression), "%s: place %d is %g", text, (int)i, out[i]);               \
            held += out[i] == 1;                                                                             \
        }                                                                                                    \
        CHECK(held > 0 && held < POSITIONS, "%s: %d places", text, held);                                    \
    } while (0)

static void test_conditions(void)
{
    SAME("x < 1 mm", X < 1);
    SAME("x<=1000um", X <= 1);
    SAME("0.1 cm > y", Y < 1);
    SAME("y >= -0.5 mm", Y >= -0.5);
    SAME("tag = 3", i % 5 == 3);
    SAME("tag == scar", i % 5 == 2);
    SAME("tag != 'scar'", i % 5 != 2);
    SAME("tag in [3, scar]", i % 5 == 2 || i % 5 == 3);
    SAME("not tag in [4] and surface(lv)", i % 5 != 4 && i % 7 == 0);
    SAME("surface < 0.5", G < 0.5);
    SAME("aha(7) or aha(17)", i % 18 == 7 || i % 18 == 17);
    SAME("aha < 0.5", G < 0.5);
    SAME("f < 0.3 and not ball([0 mm, 0 mm, 1 mm], 2 mm)",
         F < 0.3 && !(sqrt(X * X + Y * Y + SQUARE(Z - 1)) <= 2 + 1e-9));
    SAME("box([-1 mm, 0 mm, 0.5mm], [3 mm, 2 mm, 7.5 mm])",
         X >= -1 && X <= 3 && Y >= 0 && Y <= 2 && Z >= 0.5 && Z <= 7.5);
    SAME("x < 0 mm or y < 0 mm and z < 0 mm", X < 0 || (Y < 0 && Z < 0));
    SAME("(x < 0 mm or y < 0 mm) and z < 0 mm", (X < 0 || Y < 0) && Z < 0);
    SAME("not x < 0 mm and not (y < 0 mm)", !(X < 0) && !(Y < 0));
    SAME("not not x < 0 mm", X < 0);
    SAME("0.2 <= f < 0.7", F >= 0.2 && F < 0.7);
    SAME("0.2 < f < g < 0.7 + f", F > 0.2 && F < G && G < 0.7 + F);
    SAME("-2 mm < x < y + z < 3 mm", X > -2 && X < Y + Z && Y + Z < 3);
    SAME("distance_to(lv) < 3 mm", F * POSITIONS / 100 < 3);
    SAME("x * x + y * y < 4 mm * 1 mm", X * X + Y * Y < 4);
    SAME("x - y - z < 1 mm", X - Y - Z < 1);
    SAME("x - (y - z) < 1 mm", X - (Y - Z) < 1);
    SAME("8 * x / y / 2 < 1", 8 * X / Y / 2 < 1);
    SAME("f = f / 1 and 0.5 - -f + 0 * g < 1", 0.5 + F < 1);
    SAME("\"f\" > 1e-1", F > 0.1);
    SAME("x < 1000 [um] # a comment", X < 1);
    SAME("x^2 + y^2 < 4 mm^2", X * X + Y * Y < 4);
    SAME("sqrt(x^2 + y^2) < 2000\u00b5m", sqrt(X * X + Y * Y) < 2);
    SAME("if(f < g < 0.9, x, y) < 1 mm", (F < G && G < 0.9 ? X : Y) < 1);
    SAME("piecewise(f < 0.2, 1, f < 0.5, 2, 3) = 2", F >= 0.2 && F < 0.5);
}
#undef SQUARE

static void test_factors(void)
{
    double out[POSITIONS];
    evaluate("1 - 0.5 * f * (x + 1 cm) / (2 * distance_to(lv) + 1 mm)", WHERE_FACTOR, out);
    for (int64_t i = 0; i < POSITIONS; i++)
        CHECK(out[i] == 1 - 0.5 * F * (X + 10) / (2 * ((double)i / 100) + 1), "place %d: %.17g", (int)i,
              out[i]);
    evaluate("0.25", WHERE_FACTOR, out);
    CHECK(out[0] == 0.25 && out[POSITIONS - 1] == 0.25, "%g %g", out[0], out[POSITIONS - 1]);
}

/* p of the places, others with another seed, and the same whether asked for at once or in pieces */
static void bits_random(void)
{
    enum { MANY = 100000 };
    static double out[2][MANY], piece[777];
    struct arena arena = {0};
    struct error error = {0};
    double held[2] = {0, 0}, both = 0;
    struct where *where = NULL;
    for (int s = 0; s < 2; s++) {
        where = parsed(&arena, s ? "random(0.3, 8)" : "random(0.3, 7)", WHERE_CONDITION);
        const struct where_values points = {where, 0, values};
        CHECK_OK(where_evaluate(where, &points, 0, MANY, out[s], &error), error);
    }
    for (int i = 0; i < MANY; i++) {
        held[0] += out[0][i];
        held[1] += out[1][i];
        both += out[0][i] * out[1][i];
    }
    double spread = sqrt(0.3 * 0.7 * MANY);
    CHECK(fabs(held[0] - 0.3 * MANY) < 4 * spread && fabs(held[1] - 0.3 * MANY) < 4 * spread, "%g and %g",
          held[0], held[1]);
    CHECK(fabs(both - 0.09 * MANY) < 4 * sqrt(0.09 * 0.91 * MANY), "%g are in both", both);
    const struct where_values points = {where, 0, values};
    for (int64_t first = 0; first + 777 <= MANY; first += 7770) {
        CHECK_OK(where_evaluate(where, &points, first, 777, piece, &error), error);
        CHECK(memcmp(piece, out[1] + first, sizeof piece) == 0, "places from %d differ", (int)first);
    }
    arena_free(&arena);
}

static void test_refused(void)
{
    static const struct {
        const char *text;
        enum where_kind kind;
        int at;
        const char *said;
    } rows[] = {
        {"x < 5", WHERE_CONDITION, 2,
         "a comparison of [mm] with [1]; a number is written with its unit, as in 5 mm"},
        {"transmural < 5 mm", WHERE_CONDITION, 11, "a comparison of [1] with [mm]"},
        {"tag = 1 and x < 3 ms", WHERE_CONDITION, 14, "a comparison of [mm] with [s]"},
        {"x < 3 lightyear", WHERE_CONDITION, 6, "no unit is named 'lightyear'"},
        {"x", WHERE_CONDITION, 0, "this is a number in [mm]; expected a condition"},
        {"x < 1 mm", WHERE_FACTOR, 0, "this is a condition; expected a number"},
        {"x * x", WHERE_FACTOR, 0, "this is in [mm^2]"},
        {"x < 1 mm y < 2 mm", WHERE_CONDITION, 9, "there is 'y' where an operator, such as `and`"},
        {"f and g < 1", WHERE_CONDITION, 0, "expected a condition, such as x < 1 mm"},
        {"not f", WHERE_CONDITION, 4, "expected a condition"},
        {"(x < 1 mm", WHERE_CONDITION, 9, "the text ends where ')' is expected"},
        {"random(0.3", WHERE_CONDITION, 10,
         "the text ends where ',' is expected; inside { } YAML requires quotes"},
        {"x < ", WHERE_CONDITION, 4, "the text ends where a number, a name or '(' is expected"},
        {"", WHERE_CONDITION, 0, "the text ends where a number, a name or '(' is expected"},
        {"x < and", WHERE_CONDITION, 4, "there is 'and' where a number"},
        {"x < 2 mm ! 3", WHERE_CONDITION, 9, "'not' turns a condition round"},
        {"bal([0 mm, 0 mm, 0 mm], 1 mm)", WHERE_CONDITION, 0,
         "no function is named 'bal' (did you mean 'ball'?)"},
        {"dot(x) < 1 mm", WHERE_CONDITION, 0, "no function is named 'dot'"},
        {"ball([0, 0 mm, 0 mm], 1 mm)", WHERE_CONDITION, 6, "a length is expected here, with its unit: 0 mm"},
        {"ball([0 mm, 0 mm], 1 mm)", WHERE_CONDITION, 16, "there is ']' where ',' is expected"},
        {"ball([0 mm, 0 mm, 0 mm], 0 mm)", WHERE_CONDITION, 25, "must be positive"},
        {"box([0 mm, 2 mm, 0 mm], [1 mm, 1 mm, 1 mm])", WHERE_CONDITION, 24, "y is less than"},
        {"random(0.5)", WHERE_CONDITION, 10, "there is ')' where ',' is expected"},
        {"random(0.5, 1.5)", WHERE_CONDITION, 12, "a whole number"},
        {"random(x, 1)", WHERE_CONDITION, 0, "a comparison of [1] with [mm]"},
        {"tag < 3", WHERE_CONDITION, 4, "as in `tag = 3`"},
        {"tag in 3", WHERE_CONDITION, 7, "there is '3' where '[' is expected"},
        {"tag in [3 4]", WHERE_CONDITION, 10, "there is '4' where ',' is expected"},
        {"aha(18)", WHERE_CONDITION, 4, "expected a whole number from 1 to 17"},
        {"x < 1 mm and aha(septal)", WHERE_CONDITION, 17, ""},
        {"surface(3)", WHERE_CONDITION, 8, "there is '3' where the name of a surface is expected"},
        {"tag = 1.5", WHERE_CONDITION, 6, "a whole number"},
        {"distance_to(-3)", WHERE_CONDITION, 12,
         "there is '-' where the name or the number of a surface is expected"},
        {"distance_to(3)", WHERE_CONDITION, 0, "this is a number in [mm]"},
        {"'lv < 3", WHERE_CONDITION, 0, "not closed"},
        {"\u00e9\u00e9 < 1 mm", WHERE_CONDITION, 3, "a comparison of [1] with [mm]"},
        {"x / y < 1 mm", WHERE_CONDITION, 6, "a comparison of [1] with [mm]"},
        {"exp(x) < 1", WHERE_CONDITION, 0, "the argument of exp() has unit [mm]"},
        {"x < 1e999 mm", WHERE_CONDITION, 4, "a number beyond 1.8e308"},
        {"x < 1e308 km", WHERE_CONDITION, 4, "too large"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct arena arena = {0};
        struct error error = {0};
        struct where *where;
        int at = -1;
        CHECK(where_parse(&where, &arena, rows[k].text, rows[k].kind, &at, &error) == STATUS_INPUT,
              "'%s' was taken", rows[k].text);
        CHECK(at == rows[k].at && strstr(error.text, rows[k].said), "'%s': at %d: %s", rows[k].text, at,
              error.text);
        arena_free(&arena);
    }
}

/* The box of the shapes that a condition requires; of others it tells nothing. */
static void test_box(const char *text, double low, double high)
{
    struct arena arena = {0};
    struct where *where = NULL;
    struct error error = {0};
    double box[2][3];
    int at;
    CHECK_OK(where_parse(&where, &arena, text, WHERE_CONDITION, &at, &error), error);
    CHECK_OK(where_box(where, 0, box, &error), error);
    CHECK(isinf(low) ? box[0][0] == low && box[1][0] == high
                     : fabs(box[0][0] - low) < 1e-9 && fabs(box[1][0] - high) < 1e-9 && box[0][0] < low,
          "%s: from %g to %g, not %g to %g", text, box[0][0], box[1][0], low, high);
    arena_free(&arena);
}

static void test_boxes(void)
{
    test_box("x > 3 mm and ball([4 mm, 0 mm, 0 mm], 2 mm)", 2, 6);
    test_box("ball([4 mm, 0 mm, 0 mm], 2 mm) and (box([3 mm, 0 mm, 0 mm], [9 mm, 1 mm, 1 mm]) and y > 0 mm)",
             3, 6);
    test_box("ball([4 mm, 0 mm, 0 mm], 2 mm) or x > 3 mm", -INFINITY, INFINITY);
    test_box("not ball([4 mm, 0 mm, 0 mm], 2 mm)", -INFINITY, INFINITY);
    test_box("x > 3 mm", -INFINITY, INFINITY);
}

int main(void)
{
    test_conditions();
    test_boxes();
    test_factors();
    bits_random();
    test_refused();
    return 0;
}
