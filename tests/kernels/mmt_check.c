/* mmt_check.c: rates of texts at their initial state against Myokit's, which mmt_rates.py wrote down.
 * `mmt_check DIRECTORY RATES` */
#include <string.h>

#include "kernels/ionic/compiler/mmt/mmt.h"
#include "tests/support/check.h"

struct text {
    char name[100];
    struct cell cell;
    double *value[2]; /* of nodes, without and with the text's stimulus */
};

static char *contents(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0, "%s cannot be read", path);
    *bytes = (size_t)ftell(file);
    char *text = malloc(*bytes + 1);
    rewind(file);
    CHECK(text && fread(text, 1, *bytes, file) == *bytes, "%s cannot be read", path);
    fclose(file);
    return text;
}

static void read_text(struct text *text, const char *directory, const char *name)
{
    char path[1000];
    size_t bytes;
    struct error error = {0};
    const struct mmt_scale scale = {.voltage = "membrane.V"};
    snprintf(path, sizeof path, "%s/%s.mmt", directory, name);
    snprintf(text->name, sizeof text->name, "%s", name);
    char *source = contents(path, &bytes);
    CHECK_OK(mmt_read(&text->cell, source, bytes, path, &scale, &error), error);
    free(source);
    struct cell *cell = &text->cell;
    double *state = calloc((size_t)cell->states + 1, sizeof *state);
    double *parameter = calloc((size_t)cell->parameters + 1, sizeof *parameter);
    struct expression_values values = {.v = cell->v_initial, .state = state, .parameter = parameter};
    for (int k = 0; k < cell->states; k++)
        state[k] = cell->state[k].initial;
    for (int k = 0; k < cell->parameters; k++)
        parameter[k] = cell->parameter[k].value;
    for (int pace = 0; pace < 2; pace++) {
        text->value[pace] = calloc((size_t)cell->graph.nodes, sizeof(double));
        expression_evaluate(&cell->graph, &values, cell->graph.nodes, text->value[pace]);
        values.stimulus = text->value[0][cell->stimulus];
    }
    free(state);
    free(parameter);
}

static void free_text(struct text *text)
{
    free(text->value[0]);
    free(text->value[1]);
    cell_free(&text->cell);
    memset(text, 0, sizeof *text);
}

static double rate_of(const struct text *text, int pace, const char *name)
{
    const struct cell *cell = &text->cell;
    int node = strcmp(cell->v_name, name) == 0 ? cell->v_rate : -1;
    for (int k = 0; k < cell->states; k++)
        if (strcmp(cell->state[k].name, name) == 0)
            node = cell->state[k].rate;
    CHECK(node >= 0, "%s has no state %s", text->name, name);
    return text->value[pace][node];
}

int main(int argc, char **argv)
{
    CHECK(argc == 3, "mmt_check DIRECTORY RATES");
    FILE *rates = fopen(argv[2], "r");
    CHECK(rates, "%s cannot be read", argv[2]);
    struct text text = {0};
    char line[300], name[100], state[100];
    int pace, count = 0, texts = 0;
    double want, largest = 0;
    while (fgets(line, sizeof line, rates)) {
        if (line[0] == '#' || sscanf(line, "%99s %d %99s %lf", name, &pace, state, &want) != 4)
            continue;
        if (strcmp(text.name, name) != 0) {
            free_text(&text);
            read_text(&text, argv[1], name);
            texts++;
        }
        double got = rate_of(&text, pace, state);
        double off = fabs(got - want);
        CHECK(off <= 1e-12 * fabs(want), "%s, pace %d, d %s/dt: %.17g, and %.17g of Myokit", name, pace,
              state, got, want);
        largest = fmax(largest, off > 0 ? off / fabs(want) : 0);
        count++;
    }
    free_text(&text);
    fclose(rates);
    printf("%d rates of %d texts: largest relative difference %.2g\n", count, texts, largest);
    CHECK(texts == 29, "%d texts", texts);
    return 0;
}
