/* test_sets.c: the models that one text is built in as: what their list means, and what it may not be. */
#include <stdlib.h>
#include <string.h>

#include "app/models/sets.h"
#include "tests/support/check.h"

static struct sets sets;

/* Reads a copy of text[bytes] that ends where memory does */
static enum status read_bytes(const char *text, size_t bytes, char **copy, struct error *error)
{
    *copy = malloc(bytes + 1);
    CHECK(*copy, "no memory");
    memcpy(*copy, text, bytes);
    (*copy)[bytes] = 0;
    error->text[0] = 0;
    return sets_read(&sets, *copy, bytes, "a.sets", error);
}

static void test_meaning(void)
{
    const char *text = "# a comment\n\nnames short\r\n"
                       "my-cell-epi 0.05 0.2  an epicardial cell # not this\r\n"
                       "my-cell 0.1 0.1 one of another title\n"
                       "\tV=-86.5 g_Na=3e-4\n"
                       "   m=1\n";
    struct error error = {0};
    char *copy;
    CHECK_OK(read_bytes(text, strlen(text), &copy, &error), error);
    CHECK(sets.models == 2 && sets.short_names && sets.changes == 3, "%d models", sets.models);
    CHECK(strcmp(sets.model[0].title, "an epicardial cell") == 0, "'%s'", sets.model[0].title);
    CHECK(sets.model[1].step_largest == 0.1 && sets.model[1].first == 0, "the second one's steps");

    struct ionic_value value[] = {{.name = "fast.m", .value = 0.5}, {.name = "fast.h", .value = 0.25},
                                  {.name = "ina.g_Na", .value = 2}, {.name = "Iion"},
                                  {.name = "membrane.Iion"},        {.name = "fast.m.limit"},
                                  {.name = "slow.p.limit"},         {.name = "other.V"},
                                  {.name = "low.p.limit"}};
    const char *const names[] = {
        "m", "h", "g_Na", "Iion", "membrane.Iion", "m.limit", "slow.p.limit", "other.V", "low.p.limit"};
    const int count = sizeof value / sizeof *value;
    struct ionic_model model = {.states = 2, .parameters = 1, .v_initial = -80};
    CHECK_OK(sets_shorten(value, count, &error), error);
    for (int k = 0; k < count; k++)
        CHECK(strcmp(value[k].name, names[k]) == 0, "'%s' is not '%s'", value[k].name, names[k]);
    CHECK_OK(sets_apply(&model, value, &sets, 0, &error), error);
    CHECK(model.v_initial == -80 && value[0].value == 0.5 && value[2].value == 2,
          "the first one changes nothing");
    CHECK(strcmp(model.name, "my-cell-epi") == 0 && model.step_accurate == 0.05, "'%s'", model.name);
    CHECK_OK(sets_apply(&model, value, &sets, 1, &error), error);
    CHECK(model.v_initial == -86.5 && value[0].value == 1 && value[1].value == 0.25 && value[2].value == 3e-4,
          "m = %g", value[0].value);
    free(copy);

    text = "my-cell 1 2 t\n capacitance=2 g_na=3\n";
    CHECK_OK(read_bytes(text, strlen(text), &copy, &error), error);
    CHECK(sets_apply(&model, value, &sets, 0, &error) == STATUS_INPUT &&
              strcmp(error.text,
                     "a.sets:2: 'g_na' is no state or parameter of the text (did you mean 'g_Na'?)") == 0,
          "%s", error.text);
    CHECK(model.capacitance == 2, "%g", model.capacitance);
    free(copy);
}

static void test_refused(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "a.sets: names no model"},
        {"# nothing\n\n", "a.sets: names no model"},
        {"names short", "a.sets: names no model"},
        {"names short\nnames short\n", "a.sets:2: 'names short' stands once"},
        {"my-cell 1 2 t\nnames short\n", "a.sets:2: 'names short' stands once"},
        {"names shorter\n", "a.sets:1: expected two steps in ms behind 'names'"},
        {" V=1\n", "a.sets:1: values before the name of a model"},
        {"my_cell 1 2 t\n", "'my_cell' is no name of a model"},
        {"my-cell-A 1 2 t\n", "'my-cell-A' is no name of a model"},
        {"my-cell-\"); 1 2 t\n", "is no name of a model"},
        {"my-cell-0123456789012345678901234567890123456789012345678901234567 1 2 t\n",
         "is no name of a model"},
        {"my-cell\n", "a.sets:1: expected two steps in ms behind 'my-cell'"},
        {"my-cell 1\n", "expected two steps"},
        {"my-cell 0 1 t\n", "expected two steps"},
        {"my-cell 2 1 t\n", "expected two steps"},
        {"my-cell -1 1 t\n", "expected two steps"},
        {"my-cell nan 1 t\n", "expected two steps"},
        {"my-cell 1 inf t\n", "expected two steps"},
        {"my-cell 1 1e999 t\n", "expected two steps"},
        {"my-cell 1 2ms t\n", "expected two steps"},
        {"my-cell 1 2 t\nmy-cell 1 2 t\n", "a.sets:2: a second 'my-cell'"},
        {"my-cell 1 2 t\n V\n", "a.sets:2: 'V' is no NAME=VALUE"},
        {"my-cell 1 2 t\n V=\n", "'V=' is no NAME=VALUE"},
        {"my-cell 1 2 t\n =1\n", "'=1' is no NAME=VALUE"},
        {"my-cell 1 2 t\n V= 1\n", "'V=' is no NAME=VALUE"},
        {"my-cell 1 2 t\n V=1=2\n", "is no NAME=VALUE"},
        {"my-cell 1 2 t\n V=nan\n", "is no NAME=VALUE"},
        {"my-cell 1 2 t\n V=-inf\n", "is no NAME=VALUE"},
        {"my-cell 1 2 t\n V=0x1p3\n", "is no NAME=VALUE"},
        {"my-cell 1 2 t\n V=1,5\n", "is no NAME=VALUE"},
        {"my-cell 1 2 t\n V=1\n\n m=2 V=2\n", "a.sets:4: a second 'V'"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct error error;
        char *copy;
        enum status status = read_bytes(wrong[k].text, strlen(wrong[k].text), &copy, &error);
        CHECK(status == STATUS_INPUT && strstr(error.text, wrong[k].message), "%s\nsays '%s', not '%s'",
              wrong[k].text, error.text, wrong[k].message);
        free(copy);
    }
    struct error error;
    char *copy;
    CHECK(read_bytes("my-cell 1 2 t\n\0 V=1\n", 20, &copy, &error) && strstr(error.text, "a NUL"), "%s",
          error.text);
    free(copy);
}

/* More than it holds is refused, not cut */
static void test_much(void)
{
    static char text[1 << 16];
    struct error error;
    char *copy;
    size_t length = 0;
    for (int k = 0; k <= SETS_MODELS; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "my-cell-%d 1 2 t\n", k);
    CHECK(read_bytes(text, length, &copy, &error) && strstr(error.text, "a.sets:17: more than 16 models"),
          "%s", error.text);
    free(copy);
    length = (size_t)snprintf(text, sizeof text, "my-cell 1 2 t\n");
    for (int k = 0; k <= SETS_CHANGES; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, " x%d=%d\n", k, k);
    CHECK(read_bytes(text, length, &copy, &error) && strstr(error.text, "a.sets:1026: more than 1024 values"),
          "%s", error.text);
    free(copy);
}

/* Whatever bytes there are, it ends with a message or a list */
static void test_bytes(void)
{
    static const char letters[] = "my-cell 012.=e\n\n \t#V\rnames short\xff";
    unsigned seed = 7;
    int good = 0;
    for (int round = 0; round < 20000; round++) {
        char text[64] = "my-cell 1 2 t\n ", *copy;
        struct error error;
        size_t length = round % 2 ? strlen(text) : 0;
        for (size_t more = length + (seed >> 16) % (sizeof text - length); length < more; length++) {
            seed = seed * 1664525 + 1013904223;
            text[length] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        enum status status = read_bytes(text, length, &copy, &error);
        good += status == STATUS_OK;
        CHECK(status == STATUS_OK || (status == STATUS_INPUT && error.text[0]), "%d", (int)status);
        free(copy);
    }
    CHECK(good > 20, "%d of them are lists", good);
}

int main(void)
{
    test_meaning();
    test_refused();
    test_much();
    test_bytes();
    return 0;
}
