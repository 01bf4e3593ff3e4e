/* where.c: parse expressions, and evaluate them for a block of nodes or elements at a time. */
#include "app/config/where.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/printed.h"
#include "kernels/compiler/algebra/interval.h"
#include "kernels/compiler/language/expression.h"
#include "kernels/compiler/language/build.h"
#include "kernels/compiler/language/check.h"
#include "kernels/compiler/language/tree.h"
#include "kernels/compiler/language/formula.h"

struct reading {
    struct arena *arena; /* for what outlives the parsing */
    const char *text;
    struct mmt_list leaves;
    struct where_leaf *leaf;
};

static struct reading *reading_of(struct mmt_tree *tree)
{
    return tree->environment->data;
}

/* The number of characters before a line and column of the text */
static int characters_before(const char *text, int line, int column)
{
    int count = 0, bytes = column - 1;
    const char *at = text;
    for (; line > 1 && *at; at++) {
        line -= *at == '\n';
        count += ((unsigned char)*at & 0xc0) != 0x80;
    }
    for (; bytes > 0 && *at; at++, bytes--)
        count += ((unsigned char)*at & 0xc0) != 0x80;
    return count;
}

static int leaf_term(struct mmt_tree *tree, const struct mmt_token *at, struct where_leaf leaf,
                     bool condition, const char *unit)
{
    struct reading *reading = reading_of(tree);
    struct where_leaf *one =
        tree->status ? NULL : mmt_tree_append(tree, &reading->leaves, &reading->leaf, sizeof *one);
    if (!one)
        return 0;
    *one = leaf;
    one->at = characters_before(reading->text, at->line, at->column);
    return mmt_formula_outside(tree, at, reading->leaves.count - 1, condition, mmt_unit_named(unit));
}

static const char *copy_name(struct mmt_tree *tree, const char *text, int length)
{
    const char *name = tree->status ? "" : arena_text(reading_of(tree)->arena, text, (size_t)length);
    if (!name)
        mmt_tree_memory(tree);
    return name;
}

static void read_comma(struct mmt_tree *tree)
{
    const struct mmt_token *now = mmt_cursor_now(tree);
    if (!tree->status && now->kind == MMT_TOKEN_END)
        mmt_tree_fail(tree, now->line, now->column,
                      "the text ends where ',' is expected; inside { } YAML requires quotes around an "
                      "expression with a comma");
    mmt_cursor_sign(tree, ',', "','");
}

static double read_length(struct mmt_tree *tree)
{
    const struct mmt_token at = *mmt_cursor_now(tree);
    struct mmt_unit unit;
    double value = mmt_formula_number(tree, &unit);
    if (!tree->status && !mmt_unit_same(unit, mmt_unit_named("mm")))
        mmt_tree_fail(tree, at.line, at.column, "a length is expected here, with its unit: %.*s mm",
                      at.length, at.text);
    return value;
}

static void read_point(struct mmt_tree *tree, double *point)
{
    mmt_cursor_sign(tree, '[', "'['");
    for (int k = 0; k < 3; k++) {
        point[k] = read_length(tree);
        if (k < 2)
            read_comma(tree);
    }
    mmt_cursor_sign(tree, ']', "']'");
}

static double read_whole(struct mmt_tree *tree, double low, double high)
{
    const struct mmt_token at = *mmt_cursor_now(tree);
    struct mmt_unit unit;
    double value = mmt_formula_number(tree, &unit);
    if (!tree->status && (!mmt_unit_same(unit, mmt_unit_one()) || !(value >= low && value <= high) ||
                          value != (double)(int64_t)value))
        mmt_tree_fail(tree, at.line, at.column, "expected a whole number from %.0f to %.0f", low, high);
    return value;
}

static int read_coordinate(struct mmt_tree *tree, const struct mmt_token *at)
{
    return leaf_term(tree, at, (struct where_leaf){WHERE_COORDINATE, .number = *at->text - 'x'}, false, "mm");
}

/* Reads one tag at the current token: *tag <- a number, or *name <- a name. */
static void read_one_tag(struct mmt_tree *tree, int32_t *tag, const char **name)
{
    const struct mmt_token now = *mmt_cursor_now(tree);
    if (now.kind != MMT_TOKEN_NAME) {
        *tag = (int32_t)read_whole(tree, INT32_MIN, INT32_MAX);
        return;
    }
    mmt_cursor_name(tree, "the number or the name of a region");
    *name = copy_name(tree, now.text, now.length);
}

/* tag = 3, tag != scar, tag in [1, 2, scar] */
static int read_tag(struct mmt_tree *tree, const struct mmt_token *at)
{
    enum { MOST = 1000 };
    const struct mmt_token sign = *mmt_cursor_now(tree);
    const bool differs = mmt_cursor_at(tree, MMT_SIGN_UNEQUAL), in = mmt_token_is(&sign, "in");
    if (!differs && !in && !mmt_cursor_at(tree, '=') && !mmt_cursor_at(tree, MMT_SIGN_EQUAL))
        mmt_tree_fail(tree, sign.line, sign.column,
                      "a tag is compared by =, != or in with a whole number or a name, as in `tag = 3` or "
                      "`tag in [1, scar]`");
    mmt_cursor_next(tree);
    if (in)
        mmt_cursor_sign(tree, '[', "'['");
    int32_t tag[MOST] = {0};
    const char *name[MOST] = {NULL};
    int count = 0;
    do {
        if (count)
            read_comma(tree);
        read_one_tag(tree, &tag[count], &name[count]);
        count++;
    } while (in && !tree->status && !mmt_cursor_at(tree, ']') && count < MOST);
    if (in)
        mmt_cursor_sign(tree, ']', "']'");
    struct arena *arena = reading_of(tree)->arena;
    struct tag_list *tags = arena_allocate(arena, 1, sizeof *tags);
    if (tags) {
        *tags = (struct tag_list){false, count, arena_allocate(arena, (size_t)count, sizeof *tag),
                                  arena_allocate(arena, (size_t)count, sizeof *name),
                                  arena_allocate(arena, (size_t)count, sizeof *tags->dimension)};
    }
    if (!tags || !tags->tag || !tags->name || !tags->dimension) {
        mmt_tree_memory(tree);
        return 0;
    }
    memcpy(tags->tag, tag, (size_t)count * sizeof *tag);
    memcpy(tags->name, name, (size_t)count * sizeof *name);
    int n = leaf_term(tree, at, (struct where_leaf){.kind = WHERE_TAG, .tags = tags}, true, "1");
    return differs ? mmt_formula_apply(tree, MMT_NOT, at, n, -1) : n;
}

/* box([..], [..]) or ball([..], radius) */
static int read_shape(struct mmt_tree *tree, const struct mmt_token *at)
{
    const bool ball = at->length == 4;
    double *numbers = arena_allocate(reading_of(tree)->arena, 6, sizeof *numbers);
    if (!numbers) {
        mmt_tree_memory(tree);
        return 0;
    }
    mmt_cursor_sign(tree, '(', "'('");
    read_point(tree, numbers);
    read_comma(tree);
    const struct mmt_token second = *mmt_cursor_now(tree);
    if (ball)
        numbers[3] = read_length(tree);
    else
        read_point(tree, numbers + 3);
    mmt_cursor_sign(tree, ')', "')'");
    if (!tree->status && ball && !(numbers[3] > 0))
        mmt_tree_fail(tree, second.line, second.column, "the radius must be positive");
    for (int k = 0; k < 3 && !ball && !tree->status; k++)
        if (numbers[k] > numbers[3 + k])
            mmt_tree_fail(tree, second.line, second.column,
                          "%c is less than that of the first corner: the box is empty", "xyz"[k]);
    return leaf_term(tree, at, (struct where_leaf){ball ? WHERE_BALL : WHERE_BOX, .numbers = numbers}, true,
                     "1");
}

/* random(p, seed) is a uniform number < p */
static int read_random(struct mmt_tree *tree, const struct mmt_token *at)
{
    struct where_leaf leaf = {.kind = WHERE_RANDOM};
    mmt_cursor_sign(tree, '(', "'('");
    const struct mmt_token share = *mmt_cursor_now(tree);
    int probability = mmt_formula_read(tree);
    if (!tree->status && tree->term[probability].meaning == MMT_NUMBER &&
        !(tree->term[probability].number <= 1))
        mmt_tree_fail(tree, share.line, share.column,
                      "the first argument is a probability, from 0 to 1, as in random(0.3, 1)");
    read_comma(tree);
    leaf.number = read_whole(tree, 0, 0x1p53);
    mmt_cursor_sign(tree, ')', "')'");
    return mmt_formula_apply(tree, MMT_LESS, at, leaf_term(tree, at, leaf, false, "1"), probability);
}

/* distance_to(epi), distance_to(3) */
static int read_distance(struct mmt_tree *tree, const struct mmt_token *at)
{
    struct where_leaf leaf = {.kind = WHERE_DISTANCE};
    mmt_cursor_sign(tree, '(', "'('");
    const struct mmt_token now = *mmt_cursor_now(tree);
    if (now.kind == MMT_TOKEN_NUMBER && (int)strspn(now.text, "0123456789") >= now.length)
        mmt_cursor_next(tree);
    else
        mmt_cursor_name(tree, "the name or the number of a surface");
    leaf.name = copy_name(tree, now.text, now.length);
    mmt_cursor_sign(tree, ')', "')'");
    return leaf_term(tree, at, leaf, false, "mm");
}

static int read_name(struct mmt_tree *tree, const struct mmt_token *at, const char *name)
{
    struct where_leaf leaf = {WHERE_NAME, .name = copy_name(tree, name, (int)strlen(name))};
    return leaf_term(tree, at, leaf, false, "1");
}

/* surface(epi), aha(7); without parentheses: an array of that name */
static int read_surface(struct mmt_tree *tree, const struct mmt_token *at)
{
    const bool segment = at->length == 3;
    struct where_leaf leaf = {.kind = segment ? WHERE_SEGMENT : WHERE_SURFACE};
    if (!mmt_cursor_at(tree, '('))
        return read_name(tree, at, segment ? "aha" : "surface");
    mmt_cursor_next(tree);
    const struct mmt_token now = *mmt_cursor_now(tree);
    if (segment)
        leaf.number = read_whole(tree, 1, 17);
    else
        mmt_cursor_name(tree, "the name of a surface");
    if (!segment)
        leaf.name = copy_name(tree, now.text, now.length);
    if (!tree->status && mmt_cursor_at(tree, ','))
        mmt_tree_fail(tree, mmt_cursor_now(tree)->line, mmt_cursor_now(tree)->column,
                      "there is ',' where ')' is expected: of several, each is written, as in %s",
                      segment ? "aha(1) or aha(7)" : "surface(lv) or surface(rv)");
    mmt_cursor_sign(tree, ')', "')'");
    return leaf_term(tree, at, leaf, true, "1");
}

static const struct mmt_known known[] = {{"x", read_coordinate},
                                         {"y", read_coordinate},
                                         {"z", read_coordinate},
                                         {"tag", read_tag},
                                         {"box", read_shape},
                                         {"ball", read_shape},
                                         {"distance_to", read_distance},
                                         {"random", read_random},
                                         {"surface", read_surface},
                                         {"aha", read_surface}};

/* Usual names of functions, and ours */
static const char *const usual[][2] = {{"rand", "random"},      {"sphere", "ball"},
                                       {"cube", "box"},         {"block", "box"},
                                       {"dist", "distance_to"}, {"distance", "distance_to"}};

/* Adds a hint to an error: X or r is a valid array name, but in a wrong expression a coordinate or length was
 * probably meant. */
static void explain_names(const struct reading *reading, struct error *error)
{
    for (int k = 0; k < reading->leaves.count; k++) {
        const struct where_leaf *leaf = &reading->leaf[k];
        const bool capital =
            leaf->kind == WHERE_NAME && !leaf->name[1] && *leaf->name >= 'X' && *leaf->name <= 'Z';
        if (leaf->kind != WHERE_NAME || (!capital && !strstr(error->text, "[mm]")))
            continue;
        if (capital)
            printed_add(error->text, sizeof error->text, "; the coordinates are x, y and z, not %s",
                        leaf->name);
        else
            printed_add(
                error->text, sizeof error->text,
                "; %s has no unit: the lengths are x, y, z and distance_to(..), and ball([x, y, z], r) holds "
                "within r of a point",
                leaf->name);
        return;
    }
}

static enum status check_kind(struct mmt_tree *tree, int root, enum where_kind kind)
{
    const struct mmt_term *term = &tree->term[root];
    struct mmt_unit unit = mmt_check_expression(tree, root);
    char text[100];
    mmt_unit_print(unit, text, sizeof text);
    if (tree->status)
        return tree->status;
    const struct reading *reading = reading_of(tree);
    const struct where_leaf *leaf = reading->leaves.count == 1 ? reading->leaf : NULL;
    if (kind == WHERE_CONDITION && !term->truth && leaf && leaf->kind == WHERE_NAME &&
        term->meaning == MMT_OUTSIDE)
        mmt_tree_fail(
            tree, 1, 1,
            "%s alone is a number; a condition is surface(%s), tag = %s or a comparison, such as %s < 0.3",
            leaf->name, leaf->name, leaf->name, leaf->name);
    else if (kind == WHERE_CONDITION && !term->truth)
        mmt_tree_fail(tree, 1, 1, "this is a number in [%s]; expected a condition, such as transmural < 0.3",
                      text);
    else if (kind == WHERE_FACTOR && term->truth)
        mmt_tree_fail(tree, 1, 1, "this is a condition; expected a number, such as 0.3");
    else if (kind == WHERE_FACTOR && !mmt_unit_same(unit, mmt_unit_one()))
        mmt_tree_fail(tree, 1, 1, "this is in [%s]; expected a number without a unit, such as 0.3", text);
    return tree->status;
}

/* *where <- a copy of the graph's nodes and of the leaves, in the arena */
static enum status keep_where(struct where **where, const struct reading *reading,
                              const struct expression_graph *graph, int root, struct error *error)
{
    struct arena *arena = reading->arena;
    struct expression_node *node = arena_allocate(arena, (size_t)graph->nodes, sizeof *node);
    struct where_leaf *leaf = arena_allocate(arena, (size_t)reading->leaves.count + 1, sizeof *leaf);
    char *text = arena_text(arena, reading->text, strlen(reading->text));
    *where = arena_allocate(arena, 1, sizeof **where);
    if (!node || !leaf || !text || !*where)
        return error_memory(error, "an expression", (double)graph->nodes * sizeof *node);
    memcpy(node, graph->node, (size_t)graph->nodes * sizeof *node);
    if (reading->leaves.count)
        memcpy(leaf, reading->leaf, (size_t)reading->leaves.count * sizeof *leaf);
    **where = (struct where){text, leaf, reading->leaves.count, node, root};
    return STATUS_OK;
}

enum status where_parse(struct where **where, struct arena *arena, const char *text, enum where_kind kind,
                        int *at, struct error *error)
{
    struct arena scratch = {0};
    struct reading reading = {.arena = arena, .text = text};
    const struct mmt_environment environment = {known, sizeof known / sizeof *known, read_name, &reading,
                                                usual, sizeof usual / sizeof *usual};
    struct expression_graph graph = {0};
    struct mmt_tree tree = {.scanner = {.fault_line = 1, .fault_column = 1}};
    int root;
    enum status status = STATUS_OK;
    *where = NULL;
    if (strlen(text) > WHERE_LONGEST)
        TRY_DONE(error_set(error, STATUS_INPUT, "longer than %d characters", WHERE_LONGEST));
    TRY_DONE(mmt_formula_expression(&tree, &root, &scratch, text, &environment, error));
    TRY_DONE(check_kind(&tree, root, kind));
    TRY_DONE(expression_begin(&graph, error));
    TRY_DONE(mmt_build_expression(&tree, &graph, &root));
    TRY_DONE(keep_where(where, &reading, &graph, root, error));
done:
    if (status == STATUS_INPUT)
        explain_names(&reading, error);
    *at = status ? characters_before(text, tree.scanner.fault_line, tree.scanner.fault_column) : 0;
    expression_free(&graph);
    arena_free(&scratch);
    return status;
}

const struct where *where_of_leaf(struct arena *arena, const struct where_leaf *leaf)
{
    static const struct expression_node only = {EXPRESSION_PARAMETER, {-1, -1, -1}, 0, 0, 0};
    struct where *where = arena_allocate(arena, 1, sizeof *where);
    struct where_leaf *copy = arena_allocate(arena, 1, sizeof *copy);
    struct expression_node *node = arena_allocate(arena, 1, sizeof *node);
    if (!where || !copy || !node)
        return NULL;
    *copy = *leaf;
    *node = only;
    *where = (struct where){"", copy, 1, node, 0};
    return where;
}

static void digest_name(struct sha256 *sha, const char *name)
{
    sha256_add(sha, name ? name : "", name ? strlen(name) + 1 : 1);
}

static void digest_leaf(struct sha256 *sha, const struct where_leaf *leaf)
{
    const struct tag_list *tags = leaf->tags;
    const size_t numbers = leaf->kind == WHERE_BOX ? 6 : leaf->kind == WHERE_BALL ? 4 : 0;
    sha256_add(sha, &leaf->kind, sizeof leaf->kind);
    sha256_add(sha, &leaf->number, sizeof leaf->number);
    if (numbers)
        sha256_add(sha, leaf->numbers, numbers * sizeof *leaf->numbers);
    digest_name(sha, leaf->name);
    if (!tags)
        return;
    sha256_add(sha, &tags->all, sizeof tags->all);
    sha256_add(sha, &tags->count, sizeof tags->count);
    for (int k = 0; k < tags->count; k++) {
        digest_name(sha, tags->name[k]);
        if (!tags->name[k])
            sha256_add(sha, &tags->tag[k], sizeof tags->tag[k]);
    }
}

void where_digest(struct sha256 *sha, const struct where *where)
{
    for (int k = 0; k < where->leaves; k++)
        digest_leaf(sha, &where->leaf[k]);
    for (int n = 0; n <= where->root; n++) {
        const struct expression_node *node = &where->node[n];
        sha256_add(sha, &node->operation, sizeof node->operation);
        sha256_add(sha, node->operand, sizeof node->operand);
        sha256_add(sha, &node->leaf, sizeof node->leaf);
        sha256_add(sha, &node->number, sizeof node->number);
    }
}

double where_random(uint64_t seed, int64_t k)
{
    const uint64_t increment = 0x9e3779b97f4a7c15u;
    return bits_random(bits_stir(seed + increment) + (uint64_t)k * increment);
}

/* Whether p lies in the closed box or ball enlarged by slack */
static bool is_inside(const struct where_leaf *leaf, const double p[3], double slack)
{
    const double *low = leaf->numbers, *high = low + 3;
    if (leaf->kind == WHERE_BALL) {
        double dx = p[0] - low[0], dy = p[1] - low[1], dz = p[2] - low[2];
        return sqrt(dx * dx + dy * dy + dz * dz) <= high[0] + slack;
    }
    for (int c = 0; c < 3; c++)
        if (p[c] < low[c] - slack || p[c] > high[c] + slack)
            return false;
    return true;
}

/* out[count] <- the values of leaf k */
static void leaf_values(const struct where *where, int k, const struct where_values *values, int64_t first,
                        int count, double *out)
{
    const struct where_leaf *leaf = where->leaf + k;
    double axis[3][WHERE_BLOCK];
    switch (leaf->kind) {
    case WHERE_BOX:
    case WHERE_BALL:
        for (int c = 0; c < 3; c++)
            values->values(values->data, -1 - c, first, count, axis[c]);
        for (int i = 0; i < count; i++)
            out[i] = is_inside(leaf, (const double[]){axis[0][i], axis[1][i], axis[2][i]}, values->slack);
        break;
    case WHERE_RANDOM:
        for (int i = 0; i < count; i++)
            out[i] = where_random((uint64_t)leaf->number, first + i);
        break;
    default:
        values->values(values->data, k, first, count, out);
    }
}

/* out[count <= WHERE_BLOCK] <- the values; scratch[leaves (1 + WHERE_BLOCK) + nodes] */
static void evaluate_block(const struct where *where, const struct where_values *values, int64_t first,
                           int count, double *scratch, double *out)
{
    double *of_leaf = scratch + (size_t)where->leaves * WHERE_BLOCK, *of_node = of_leaf + where->leaves;
    const struct expression_graph graph = {.node = where->node};
    for (int k = 0; k < where->leaves; k++)
        leaf_values(where, k, values, first, count, scratch + (size_t)k * WHERE_BLOCK);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < where->leaves; k++)
            of_leaf[k] = scratch[(size_t)k * WHERE_BLOCK + (size_t)i];
        expression_evaluate(&graph, &(struct expression_values){.parameter = of_leaf}, where->root + 1,
                            of_node);
        out[i] = of_node[where->root];
    }
}

enum status where_evaluate(const struct where *where, const struct where_values *values, int64_t first,
                           int64_t count, double *out, struct error *error)
{
    const size_t scratch_size = (size_t)where->leaves * (1 + WHERE_BLOCK) + (size_t)where->root + 1;
    enum status status = STATUS_OK;
#pragma omp parallel
    {
        double *scratch = calloc(scratch_size, sizeof *scratch);
#pragma omp for schedule(static)
        for (int64_t block = 0; block < count; block += WHERE_BLOCK)
            if (scratch)
                evaluate_block(where, values, first + block,
                               count - block < WHERE_BLOCK ? (int)(count - block) : WHERE_BLOCK, scratch,
                               out + block);
        if (!scratch)
#pragma omp critical
            status = error_memory(error, "an expression", (double)scratch_size * sizeof *scratch);
        free(scratch);
    }
    return status;
}

/* {all, any}: whether all, and whether any points of a coordinate box lie within a closed shape enlarged by slack */
static struct interval inside_range(const struct where_leaf *leaf, double axis[3][2], double slack)
{
    const double *low = leaf->numbers, *high = low + 3;
    double nearest = 0, farthest = 0;
    bool all = true, none = false;
    for (int c = 0; c < 3; c++) {
        const double below = low[c] - axis[c][0], above = axis[c][1] - low[c];
        const double gap = fmax(0, fmax(-below, -above)), reach = fmax(fabs(below), fabs(above));
        nearest += gap * gap;
        farthest += reach * reach;
        if (leaf->kind == WHERE_BOX) {
            all = all && axis[c][0] >= low[c] - slack && axis[c][1] <= high[c] + slack;
            none = none || axis[c][1] < low[c] - slack || axis[c][0] > high[c] + slack;
        }
    }
    if (leaf->kind == WHERE_BALL) {
        all = sqrt(farthest) <= high[0] + slack;
        none = sqrt(nearest) > high[0] + slack;
    }
    return (struct interval){all, !none};
}

/* The range of a leaf's values in one element */
static struct interval leaf_range(const struct where *where, int k, const struct where_ranges *ranges,
                                  int64_t element)
{
    const struct where_leaf *leaf = where->leaf + k;
    double axis[3][2], range[2] = {0, 1};
    if (leaf->kind == WHERE_BOX || leaf->kind == WHERE_BALL) {
        for (int c = 0; c < 3; c++)
            ranges->range(ranges->data, -1 - c, element, axis[c]);
        return inside_range(leaf, axis, ranges->slack);
    }
    if (leaf->kind != WHERE_RANDOM)
        ranges->range(ranges->data, k, element, range);
    return (struct interval){range[0], range[1]};
}

/* Where an expression holds in an element. Evaluates leaves one by one until the others cannot change the result.
 * scratch[leaves + root + 1] */
static enum where_extent extent_of(const struct where *where, const struct where_ranges *ranges,
                                   int64_t element, struct interval *scratch)
{
    const struct expression_graph graph = {.node = where->node};
    const struct interval *found = scratch + where->leaves + where->root;
    for (int k = 0; k < where->leaves; k++)
        scratch[k] = (struct interval){-INFINITY, INFINITY};
    for (int k = 0; k == 0 || k < where->leaves; k++) {
        if (where->leaves > 0)
            scratch[k] = leaf_range(where, k, ranges, element);
        interval_of(scratch + where->leaves, &graph, where->root + 1, scratch);
        if (found->high == 0 || found->low == 1)
            return found->high == 0 ? WHERE_NOWHERE : WHERE_EVERYWHERE;
    }
    return WHERE_PERHAPS;
}

enum status where_extents(const struct where *where, const struct where_ranges *ranges, int64_t first,
                          int64_t count, uint8_t *extent, struct error *error)
{
    const size_t scratch_size = (size_t)where->leaves + (size_t)where->root + 1;
    enum status status = STATUS_OK;
#pragma omp parallel
    {
        struct interval *scratch = calloc(scratch_size, sizeof *scratch);
#pragma omp for schedule(static)
        for (int64_t e = 0; e < count; e++)
            if (scratch)
                extent[e] = (uint8_t)extent_of(where, ranges, first + e, scratch);
        if (!scratch)
#pragma omp critical
            status = error_memory(error, "an expression", (double)scratch_size * sizeof *scratch);
        free(scratch);
    }
    return status;
}

/* Whether the condition implies the leaf (is false outside its shape); scratch[leaves + root + 1] */
static bool requires(const struct where *where, int leaf, struct interval *scratch)
{
    const struct expression_graph graph = {.node = where->node};
    for (int k = 0; k < where->leaves; k++)
        scratch[k] = k == leaf ? (struct interval){0, 0} : (struct interval){-INFINITY, INFINITY};
    interval_of(scratch + where->leaves, &graph, where->root + 1, scratch);
    return scratch[where->leaves + where->root].high == 0;
}

enum status where_box(const struct where *where, double slack, double box[2][3], struct error *error)
{
    enum status status = STATUS_OK;
    struct interval *scratch =
        array_new((int64_t)where->leaves + where->root + 1, sizeof *scratch, "an expression", &status, error);
    for (int c = 0; c < 3; c++) {
        box[0][c] = -INFINITY;
        box[1][c] = INFINITY;
    }
    for (int k = 0; k < where->leaves && !status; k++) {
        const struct where_leaf *leaf = where->leaf + k;
        const bool ball = leaf->kind == WHERE_BALL;
        if ((leaf->kind != WHERE_BOX && !ball) || !requires(where, k, scratch))
            continue;
        for (int c = 0; c < 3; c++) {
            const double low = ball ? leaf->numbers[c] - leaf->numbers[3] : leaf->numbers[c];
            const double high = ball ? leaf->numbers[c] + leaf->numbers[3] : leaf->numbers[3 + c];
            const double more = 2 * slack + 1e-12 * (fabs(low) + fabs(high)); /* for rounding */
            box[0][c] = fmax(box[0][c], low - more);
            box[1][c] = fmin(box[1][c], high + more);
        }
    }
    free(scratch);
    return status;
}

/* Distance of p from a box or ball, mm; 0 inside */
static double gap_to(const struct where_leaf *leaf, const double p[3])
{
    const double *low = leaf->numbers, *high = low + 3;
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        const double d =
            leaf->kind == WHERE_BALL ? p[c] - low[c] : fmax(0, fmax(low[c] - p[c], p[c] - high[c]));
        sum += d * d;
    }
    return leaf->kind == WHERE_BALL ? fmax(0, sqrt(sum) - high[0]) : sqrt(sum);
}

enum status where_nearest(const struct where *where, const double *point, int64_t count, int64_t *nearest,
                          double *distance, struct error *error)
{
    enum status status = STATUS_OK;
    struct interval *scratch =
        array_new((int64_t)where->leaves + where->root + 1, sizeof *scratch, "an expression", &status, error);
    uint8_t *required = array_zeroed(where->leaves, sizeof *required, "an expression", &status, error);
    for (int k = 0; k < where->leaves && !status; k++) {
        const enum where_leaf_kind kind = where->leaf[k].kind;
        required[k] = (kind == WHERE_BOX || kind == WHERE_BALL) && requires(where, k, scratch);
    }
    *distance = INFINITY;
    *nearest = -1;
    for (int64_t i = 0; i < count && !status; i++) {
        double gap = 0;
        for (int k = 0; k < where->leaves; k++)
            gap = required[k] ? fmax(gap, gap_to(&where->leaf[k], point + 3 * i)) : gap;
        if (gap < *distance) {
            *distance = gap;
            *nearest = i;
        }
    }
    free(scratch);
    free(required);
    return status;
}
