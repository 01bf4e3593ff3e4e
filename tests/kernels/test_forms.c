/* test_forms.c: formulas that are the same in other words are one node; lines, multiples and what is affine; quotients that are 0 / 0 at one V;
 * how many exponentials are left of some that belong together. */
#include "kernels/compiler/algebra/algebra.h"

#include "kernels/compiler/algebra/exponentials.h"
#include "tests/support/formula_values.h"

/* Lines of formulas that are no lines themselves, multiples, and what is affine by its form */
static void test_lines(void)
{
    struct cell cell;
    struct algebra a;
    begin(&cell, &a);
    const int v = leaves[0], x = leaves[1], p = leaves[4];
    const int base[] = {one(EXPRESSION_SIN, v), one(EXPRESSION_EXP, x), algebra_product(&a, v, x), v,
                        one(EXPRESSION_TANH, two(EXPRESSION_ADD, v, x))};
    for (int b = 0; b < 5; b++)
        for (int turn = 0; turn < 20; turn++) {
            const int factor = below(2) ? number(random_from(-2, 2)) : p,
                      offset = below(2) ? number(random_from(-2, 2)) : leaves[5];
            int n = algebra_sum(&a, algebra_product(&a, base[b], factor), offset), k;
            n = below(2) ? algebra_negative(&a, n) : algebra_product(&a, n, leaves[4 + below(2)]);
            const struct algebra_line line = algebra_line(&a, n);
            CHECK(line.base == base[b] && algebra_constant(&a, line.slope) &&
                      algebra_constant(&a, line.offset),
                  "formula %d: base %d, want %d", n, line.base, base[b]);
            const int again = algebra_sum(&a, algebra_product(&a, line.slope, line.base), line.offset);
            const double times = ldexp(0.25, below(6)); /* no rounding */
            const int multiple = algebra_product(&a, n, number(times)),
                      other = algebra_sum(&a, multiple, number(0.25));
            CHECK(algebra_is_multiple(&a, multiple, n, &k) &&
                      fabs(algebra_values(&a, k)[0] - times) < 1e-12 * times,
                  "not %g of it", times);
            CHECK(!algebra_is_multiple(&a, other, n, &k), "a shifted one is a multiple");
            CHECK(!algebra_is_multiple(&a, base[(b + 1) % 5], n, &k), "another formula is a multiple");
            CHECK(!algebra_is_multiple(&a, p, n, &k) && !algebra_is_multiple(&a, n, p, &k),
                  "a constant is a multiple");
            struct point at;
            choose_point(&at);
            evaluate(&at, -1);
            expect(n, again, "a line");
        }
    const struct algebra_line constant = algebra_line(&a, p);
    CHECK(constant.base == 0 && constant.slope == 0 && constant.offset == p, "the line of a constant");
    const int less = two(EXPRESSION_LESS, v, number(0)), by_x = two(EXPRESSION_LESS, x, number(0)),
              f = one(EXPRESSION_EXP, v);
    const struct {
        int node;
        bool affine;
    } table[] = {
        {x, true},
        {v, true},
        {f, true},
        {two(EXPRESSION_ADD, x, f), true},
        {two(EXPRESSION_SUBTRACT, f, x), true},
        {one(EXPRESSION_NEGATE, x), true},
        {two(EXPRESSION_MULTIPLY, f, x), true},
        {two(EXPRESSION_MULTIPLY, x, two(EXPRESSION_ADD, f, x)), false},
        {two(EXPRESSION_DIVIDE, x, f), true},
        {two(EXPRESSION_DIVIDE, f, x), false},
        {expression_select(graph, less, x, f), true},
        {expression_select(graph, by_x, v, f), false},
        {one(EXPRESSION_EXP, x), false},
        {two(EXPRESSION_POWER, x, number(2)), false},
        {two(EXPRESSION_MULTIPLY, two(EXPRESSION_ADD, x, number(1)), two(EXPRESSION_SUBTRACT, f, v)), true},
        {two(EXPRESSION_MULTIPLY, two(EXPRESSION_MULTIPLY, x, f), x), false}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        CHECK(algebra_is_affine(&a, table[k].node, x) == table[k].affine, "formula %zu is%s affine", k,
              table[k].affine ? " not" : "");
    end(&cell, &a);
}

/* How many exponentials are left of some that belong together */
static void test_shared(void)
{
    for (int form = 0; form < 6; form++) {
        struct error error = {0};
        struct cell cell;
        struct algebra a;
        begin(&cell, &a);
        const int v = leaves[0], y = two(EXPRESSION_MULTIPLY, v, number(0.05)),
                  ten = two(EXPRESSION_MULTIPLY, v, number(0.1)),
                  third = two(EXPRESSION_MULTIPLY, v, number(0.15)),
                  odd = two(EXPRESSION_MULTIPLY, v, number(0.0437));
        const int less = two(EXPRESSION_LESS, v, number(-40));
        const int e = one(EXPRESSION_EXP, y);
        int root[] = {e, e};
        switch (form) {
        case 0: /* powers of one */
            root[1] = two(EXPRESSION_ADD, one(EXPRESSION_EXP, ten), one(EXPRESSION_EXP, third));
            break;
        case 1:
            root[1] = one(EXPRESSION_EXP, algebra_negative(&a, y));
            break;
        case 2:
            root[1] = one(EXPRESSION_EXPM1, y);
            break;
        case 3: /* a constant shift */
            root[1] = one(EXPRESSION_EXP, two(EXPRESSION_ADD, y, leaves[4]));
            break;
        case 4: /* under opposite conditions */
            root[0] = root[1] = expression_select(
                graph, less, e, two(EXPRESSION_MULTIPLY, number(3), one(EXPRESSION_EXP, odd)));
            break;
        default: /* nothing in common */
            root[1] = one(EXPRESSION_EXP, odd);
        }
        CHECK_OK(exponentials_share(&a, root, 2, &error), error);
        CHECK(count_exponentials(&a, root, 2) == (form < 5 ? 1 : 2), "form %d: %d exponentials", form,
              count_exponentials(&a, root, 2));
        end(&cell, &a);
    }
}

/* Formulas that are the same whatever way they are written have one node; as[] is room */
static void test_same(void)
{
    struct cell cell;
    struct algebra a;
    static int as[MOST];
    begin(&cell, &a);
    const int v = leaves[0], x = leaves[1], y = leaves[2], p = leaves[4], q = leaves[5], one_ = number(1),
              e = one(EXPRESSION_EXP, v);
    const enum expression_operation add = EXPRESSION_ADD, sub = EXPRESSION_SUBTRACT,
                                    mul = EXPRESSION_MULTIPLY, over = EXPRESSION_DIVIDE;
    const int less = two(EXPRESSION_LESS, v, x),
              pairs[][2] = {
                  {two(add, two(add, x, one_), two(add, y, number(2))), two(add, two(add, y, number(3)), x)},
                  {two(add, two(add, x, p), two(add, y, number(2))),
                   two(add, y, two(add, two(add, p, number(2)), x))},
                  {two(mul, two(mul, x, p), two(mul, y, number(3))),
                   two(mul, number(3), two(mul, y, two(mul, p, x)))},
                  {two(sub, two(mul, x, y), two(mul, y, x)), number(0)},
                  {two(over, two(mul, x, p), two(mul, p, x)), one_},
                  {two(over, two(mul, x, y), y), x},
                  {two(over, x, two(over, y, p)), two(over, two(mul, p, x), y)},
                  {two(mul, two(EXPRESSION_POWER, x, number(2)), x), two(EXPRESSION_POWER, x, number(3))},
                  {two(EXPRESSION_POWER, two(EXPRESSION_POWER, x, number(2)), number(-1)),
                   two(over, one_, two(mul, x, x))},
                  {one(EXPRESSION_NEGATE, two(sub, x, y)), two(sub, y, x)},
                  {two(add, x, x), two(mul, number(2), x)},
                  {two(sub, two(mul, number(3), x), x), two(add, x, x)},
                  {two(sub, one_, two(over, one_, two(add, one_, e))), two(over, e, two(add, one_, e))},
                  {two(add, two(over, x, q), two(over, y, q)), two(add, two(over, y, q), two(over, x, q))},
                  {expression_select(graph, one(EXPRESSION_NOT, less), x, y),
                   expression_select(graph, less, y, x)},
                  {expression_select(graph, less, expression_select(graph, less, x, p), y),
                   expression_select(graph, less, x, y)},
                  {expression_select(graph, less, x, expression_select(graph, less, p, y)),
                   expression_select(graph, less, x, y)},
                  {two(add, expression_select(graph, less, x, p), expression_select(graph, less, y, q)),
                   expression_select(graph, less, two(add, x, y), two(add, q, p))}};
    const int top = graph->nodes - 1;
    memset(as, -1, sizeof as);
    algebra_remake(&a, as, top, NULL, -2, -1);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        CHECK(as[pairs[k][0]] == as[pairs[k][1]], "pair %zu: nodes %d and %d", k, as[pairs[k][0]],
              as[pairs[k][1]]);
    end(&cell, &a);
}

/* f / (e^y - 1) and (e^y - 1) / f where f is a multiple of y: at y = 0 it is its limit, and what it is multiplied by stays */
static void test_singular(void)
{
    for (int form = 0; form < 8; form++) {
        struct cell cell;
        struct algebra a;
        static int as[MOST];
        begin(&cell, &a);
        const int shifted = two(EXPRESSION_ADD, leaves[0], number(30)),
                  y = two(EXPRESSION_DIVIDE, shifted, number(form & 1 ? -8 : 8)),
                  f = two(EXPRESSION_MULTIPLY, form & 2 ? number(0.32) : leaves[4], shifted),
                  rise = two(EXPRESSION_SUBTRACT, one(EXPRESSION_EXP, y), number(1)),
                  by = two(EXPRESSION_MULTIPLY, leaves[2], leaves[5]);
        const int n = two(EXPRESSION_MULTIPLY, by,
                          form & 4 ? two(EXPRESSION_DIVIDE, rise, f) : two(EXPRESSION_DIVIDE, f, rise)),
                  top = graph->nodes - 1;
        memset(as, -1, sizeof as);
        algebra_remake(&a, as, top, NULL, -2, -1);
        struct point p;
        choose_point(&p);
        p.at.v = -30;
        evaluate(&p, -1);
        const double slope = (form & 2 ? 0.32 : p.parameter[0]) * (form & 1 ? -8 : 8),
                     limit = form & 4 ? 1 / slope : slope;
        CHECK(fabs(value[as[n]].x / (p.state[1] * p.parameter[1] * limit) - 1) < 1e-12,
              "form %d: %g at 0 / 0, want %g", form, value[as[n]].x, p.state[1] * p.parameter[1] * limit);
        for (int turn = 0; turn < 5; turn++) {
            choose_point(&p);
            evaluate(&p, -1);
            expect(n, as[n], "apart from there");
        }
        end(&cell, &a);
    }
}

int main(void)
{
    test_lines();
    test_shared();
    test_same();
    test_singular();
    return 0;
}
