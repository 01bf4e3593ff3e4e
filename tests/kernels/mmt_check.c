/* mmt_check.c: rates of texts at their initial state against Myokit's, which mmt_rates.py wrote down, by the
 * C library's functions. A rate is as sure as what it is made of: each operation adds an ulp of its value to
 * what the rounding of its operands makes of it, and a difference of near numbers has little left to be sure
 * of. `mmt_check DIRECTORY RATES` */
#include <float.h>
#include <string.h>

#include "kernels/compiler/language/mmt.h"
#include "tests/support/check.h"

/* A value, and how far rounding may have moved it */
struct rounded {
    double is, off;
};

struct text {
    char name[100];
    struct cell cell;
    struct rounded *value[2]; /* of nodes, without and with the text's stimulus */
};

static struct rounded of_one(enum expression_operation operation, struct rounded a)
{
    const double x = a.is;
    switch (operation) {
    case EXPRESSION_NEGATE:
        return (struct rounded){-x, a.off};
    case EXPRESSION_NOT:
        return (struct rounded){x == 0, 0};
    case EXPRESSION_EXP:
        return (struct rounded){exp(x), exp(x) * a.off};
    case EXPRESSION_LOG:
        return (struct rounded){log(x), a.off / fabs(x)};
    case EXPRESSION_LOG10:
        return (struct rounded){log10(x), a.off / fabs(x)};
    case EXPRESSION_SQRT:
        return (struct rounded){sqrt(x), x > 0 ? a.off / sqrt(x) : 0};
    case EXPRESSION_ABS:
        return (struct rounded){fabs(x), a.off};
    case EXPRESSION_FLOOR:
        return (struct rounded){floor(x), 0};
    case EXPRESSION_CEIL:
        return (struct rounded){ceil(x), 0};
    case EXPRESSION_SIN:
        return (struct rounded){sin(x), a.off};
    case EXPRESSION_COS:
        return (struct rounded){cos(x), a.off};
    case EXPRESSION_TAN:
        return (struct rounded){tan(x), (1 + tan(x) * tan(x)) * a.off};
    case EXPRESSION_ASIN:
    case EXPRESSION_ACOS:
        return (struct rounded){operation == EXPRESSION_ASIN ? asin(x) : acos(x), a.off / sqrt(1 - x * x)};
    case EXPRESSION_ATAN:
        return (struct rounded){atan(x), a.off};
    default:
        CHECK(0, "operation %d of one operand is in no text", (int)operation);
    }
}

static struct rounded of_two(enum expression_operation operation, struct rounded a, struct rounded b)
{
    const double x = a.is, y = b.is;
    switch (operation) {
    case EXPRESSION_ADD:
        return (struct rounded){x + y, a.off + b.off};
    case EXPRESSION_SUBTRACT:
        return (struct rounded){x - y, a.off + b.off};
    case EXPRESSION_MULTIPLY:
        return (struct rounded){x * y, fabs(x) * b.off + fabs(y) * a.off};
    case EXPRESSION_DIVIDE:
        return (struct rounded){x / y, isinf(y) ? 0 : (a.off + fabs(x / y) * b.off) / fabs(y)};
    case EXPRESSION_POWER:
        return (struct rounded){
            pow(x, y), x == 0 ? 0 : fabs(pow(x, y)) * (fabs(y / x) * a.off + fabs(log(fabs(x))) * b.off)};
    case EXPRESSION_LESS:
        return (struct rounded){x < y, 0};
    case EXPRESSION_LESS_EQUAL:
        return (struct rounded){x <= y, 0};
    case EXPRESSION_EQUAL:
        return (struct rounded){x == y, 0};
    case EXPRESSION_AND:
        return (struct rounded){x != 0 && y != 0, 0};
    case EXPRESSION_OR:
        return (struct rounded){x != 0 || y != 0, 0};
    default:
        CHECK(0, "operation %d of two operands is in no text", (int)operation);
    }
}

/* value <- of every node; what the reader folded to a number may be an ulp off as well */
static void evaluate(struct rounded *value, const struct cell *cell, double stimulus)
{
    for (int n = 0; n < cell->graph.nodes; n++) {
        const struct expression_node *node = &cell->graph.node[n];
        const int *of = node->operand;
        switch (node->operation) {
        case EXPRESSION_NUMBER:
            value[n] = (struct rounded){node->number, 0};
            break;
        case EXPRESSION_V:
            value[n] = (struct rounded){cell->v_initial, 0};
            break;
        case EXPRESSION_STATE:
            value[n] = (struct rounded){cell->state[node->leaf].initial, 0};
            break;
        case EXPRESSION_PARAMETER:
            value[n] = (struct rounded){cell->parameter[node->leaf].value, 0};
            break;
        case EXPRESSION_STIMULUS:
            value[n] = (struct rounded){stimulus, 0};
            break;
        case EXPRESSION_TIME:
        case EXPRESSION_STEP:
            value[n] = (struct rounded){0, 0};
            break;
        case EXPRESSION_SELECT:
            value[n] = value[of[0]].is != 0 ? value[of[1]] : value[of[2]];
            break;
        default:
            value[n] = expression_operands(node->operation) == 1
                           ? of_one(node->operation, value[of[0]])
                           : of_two(node->operation, value[of[0]], value[of[1]]);
        }
        value[n].off += DBL_EPSILON * fabs(value[n].is);
    }
}

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
    for (int pace = 0; pace < 2; pace++) {
        text->value[pace] = calloc((size_t)cell->graph.nodes, sizeof *text->value[pace]);
        CHECK(text->value[pace], "no memory");
        evaluate(text->value[pace], cell, pace ? text->value[0][cell->stimulus].is : 0);
    }
}

static void free_text(struct text *text)
{
    free(text->value[0]);
    free(text->value[1]);
    cell_free(&text->cell);
    memset(text, 0, sizeof *text);
}

static struct rounded rate_of(const struct text *text, int pace, const char *name)
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
    int pace, count = 0, sharp = 0, texts = 0;
    double want, largest = 0;
    while (fgets(line, sizeof line, rates)) {
        if (line[0] == '#' || sscanf(line, "%99s %d %99s %lf", name, &pace, state, &want) != 4)
            continue;
        if (strcmp(text.name, name) != 0) {
            free_text(&text);
            read_text(&text, argv[1], name);
            texts++;
        }
        struct rounded got = rate_of(&text, pace, state);
        double off = fabs(got.is - want);
        CHECK(off <= got.off, "%s, pace %d, d %s/dt: %.17g, and %.17g of Myokit, where rounding makes %.2g",
              name, pace, state, got.is, want, got.off);
        largest = fmax(largest, off > 0 ? off / got.off : 0);
        sharp += got.off <= 1e-12 * fabs(want);
        count++;
    }
    free_text(&text);
    fclose(rates);
    printf("%d rates of %d texts, %d of them sure to 1e-12: at most %.2g of what rounding makes\n", count,
           texts, sharp, largest);
    CHECK(texts == 29 && 3 * sharp > count, "%d texts", texts);
    return 0;
}
