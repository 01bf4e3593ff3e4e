/* compile_text.c: a model's text as the header that its cells are stepped by, and what a test needs besides.
 *
 * compile_text TEXT FORMULA OUT: OUT also defines V_INITIAL, mV, STIMULUS, mV/ms, and an EVENT of it: start,
 * duration and period in ms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/compiler/emit/compiler.h"
#include "kernels/compiler/language/mmt.h"

/* The stimulus at rest, mV/ms */
static double stimulus_of(const struct cell *cell)
{
    double *number =
        malloc(sizeof *number * (size_t)(cell->graph.nodes + cell->states + cell->parameters + 1));
    if (!number)
        return 0;
    double *state = number + cell->graph.nodes, *parameter = state + cell->states;
    for (int s = 0; s < cell->states; s++)
        state[s] = cell->state[s].initial;
    for (int p = 0; p < cell->parameters; p++)
        parameter[p] = cell->parameter[p].value;
    struct expression_values values = {cell->v_initial, 0, 0, 0, state, parameter};
    expression_evaluate(&cell->graph, &values, cell->graph.nodes, number);
    double stimulus = number[cell->stimulus];
    free(number);
    return stimulus;
}

int main(int count, char **argument)
{
    enum { BYTES = 1 << 20 };
    struct error error = {STATUS_OK, 0, ""};
    struct cell cell;
    struct compiled compiled;
    const struct mmt_scale scale = {0};
    char *text = count == 4 ? malloc(BYTES) : NULL;
    FILE *in = text ? fopen(argument[1], "rb") : NULL, *out = in ? fopen(argument[3], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: compile_text TEXT FORMULA OUT\n");
        return STATUS_INPUT;
    }
    size_t bytes = fread(text, 1, BYTES, in);
    enum status status = mmt_read(&cell, text, bytes, argument[1], &scale, &error);
    if (!status) {
        double stimulus = stimulus_of(&cell);
        status = compiler_make(&compiled, &cell, argument[2], &error);
        if (!status) {
            fprintf(out, "#define V_INITIAL %.17g\n#define STIMULUS %.17g\n", cell.v_initial, stimulus);
            fprintf(out,
                    "#define EVENT_START %.17g\n#define EVENT_DURATION %.17g\n#define EVENT_PERIOD %.17g\n",
                    cell.events ? cell.event[0].start : 0, cell.events ? cell.event[0].duration : 0,
                    cell.events ? cell.event[0].period : 0);
            for (int s = 0; s < cell.states; s++)
                fprintf(out, "#define VALUE_s%d %.17g\n", s, cell.state[s].initial);
            for (int p = 0; p < cell.parameters; p++)
                fprintf(out, "#define VALUE_p%d %.17g\n", p, cell.parameter[p].value);
            fputs(compiled.formulas, out);
            compiler_free(&compiled);
        }
        cell_free(&cell);
    }
    if (status)
        fprintf(stderr, "%s\n", error.text);
    fclose(in);
    fclose(out);
    free(text);
    return status;
}
