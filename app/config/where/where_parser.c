/* where_parser.c: text -> tree, by recursive descent; the types of both sides are checked on the way. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/units.h"
#include "app/config/where/where.h"
#include "kernels/base/array.h"
#include "kernels/base/suggest.h"

/* What an expression is: a condition, or mm^power */
struct type {
    bool condition;
    int power;
};

struct parser {
    struct arena *arena;
    struct error *error;
    const char *text, *cursor;
    const char *fault; /* where in the text */
    struct where_step *step;
    int steps, room;
    int held, depth; /* values behind the last step, and at most so far */
    int deep;
};

static const char functions[] =
    "distance_to(surface), box([..], [..]), ball([..], radius) or random(p, seed)";

static enum status refuse(struct parser *parser, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum status refuse(struct parser *parser, const char *at, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    parser->fault = at;
    return error_set(parser->error, STATUS_INPUT, "%s", text);
}

static const char *next(struct parser *parser)
{
    parser->cursor += strspn(parser->cursor, " \t\n");
    return parser->cursor;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[length])
               ? at[length] != 0
               : (unsigned char)at[length] >= 0x80 || (length && strchr("0123456789.", at[length])))
        length++;
    return length;
}

static bool is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* Goes behind a word or a sign that stands next */
static bool take(struct parser *parser, const char *word)
{
    const char *at = next(parser);
    size_t length = word_length(at);
    if (length ? !is(at, length, word) : strncmp(at, word, strlen(word)) != 0)
        return false;
    parser->cursor = at + strlen(word);
    return true;
}

static enum status need(struct parser *parser, const char *sign)
{
    const char *at = next(parser);
    if (take(parser, sign))
        return STATUS_OK;
    if (!*at)
        return refuse(parser, at, "it ends where a '%s' is due%s", sign,
                      *sign == ',' ? "; inside { } YAML wants quotes around an expression with a comma" : "");
    return refuse(parser, at, "expected '%s' before '%.20s'", sign, at);
}

/* One more step, behind its operands */
static enum status add(struct parser *parser, struct where_step step, const char *at, int operands)
{
    if (parser->steps == parser->room) {
        int room = parser->room ? 2 * parser->room : 16;
        struct where_step *grown = realloc(parser->step, (size_t)room * sizeof *grown);
        if (!grown)
            return error_memory(parser->error, "an expression", (double)sizeof *grown * room);
        parser->step = grown;
        parser->room = room;
    }
    step.at = (int)(at - parser->text);
    parser->step[parser->steps++] = step;
    parser->held += 1 - operands;
    parser->depth = parser->held > parser->depth ? parser->held : parser->depth;
    return STATUS_OK;
}

static enum status operate(struct parser *parser, enum where_operation operation, const char *at,
                           int operands)
{
    return add(parser, (struct where_step){.operation = operation}, at, operands);
}

static enum status parse_or(struct parser *parser, struct type *type);
static enum status parse_sum(struct parser *parser, struct type *type);

/* A name, in quotes or not, or digits that name something, kept in the arena */
static enum status read_name(struct parser *parser, bool or_digits, const char **name)
{
    const char *at = next(parser);
    char quote = *at == '"' || *at == '\'' ? *at : 0;
    const char *begin = quote ? at + 1 : at, *end = quote ? strchr(begin, quote) : NULL;
    size_t length = quote ? (end ? (size_t)(end - begin) : 0) : word_length(at);
    if (or_digits && length == 0)
        length = strspn(at, "0123456789");
    if (quote && !end)
        return refuse(parser, at, "this quote is not closed");
    if (length == 0)
        return refuse(parser, at, "expected a name");
    *name = arena_text(parser->arena, begin, length);
    parser->cursor = begin + length + (quote != 0);
    return *name ? STATUS_OK : error_memory(parser->error, "an expression", (double)length);
}

/* "5 mm", "0.3": the number and what may be its unit: a word that is none of the grammar's */
static enum status read_number(struct parser *parser, double *value, struct type *type)
{
    const char *at = next(parser);
    size_t sign = *at == '-', length = strspn(at + sign, "0123456789.") + sign;
    char text[80];
    if (length && (at[length] == 'e' || at[length] == 'E')) {
        size_t mark = at[length + 1] == '+' || at[length + 1] == '-' ? 2 : 1;
        size_t digits = strspn(at + length + mark, "0123456789");
        length += digits ? mark + digits : 0;
    }
    const char *unit = at + length + strspn(at + length, " \t");
    size_t letters = word_length(unit);
    if (is(unit, letters, "and") || is(unit, letters, "or") || is(unit, letters, "not"))
        letters = 0;
    *type = (struct type){false, letters > 0};
    size_t whole = letters ? (size_t)(unit - at) + letters : length;
    if (whole >= sizeof text)
        return refuse(parser, at, "a number of more than %d characters", (int)sizeof text - 1);
    memcpy(text, at, whole);
    text[whole] = 0;
    struct error reason = {.text = "expected a number"};
    parser->cursor = at + whole;
    if (length == sign || units_read(value, text, letters ? QUANTITY_LENGTH : QUANTITY_NUMBER, &reason))
        return refuse(parser, at, "%s", reason.text);
    return STATUS_OK;
}

/* numbers[count] <- lengths between brackets, or one without */
static enum status read_lengths(struct parser *parser, double *numbers, int count)
{
    enum status status = count > 1 ? need(parser, "[") : STATUS_OK;
    for (int k = 0; k < count && !status; k++) {
        struct type type;
        const char *at = next(parser);
        status = read_number(parser, &numbers[k], &type);
        if (!status && type.power != 1)
            status = refuse(parser, at, "a length is due here: %.*s mm", (int)(parser->cursor - at), at);
        if (k + 1 < count)
            AND(need(parser, ","));
    }
    if (count > 1)
        AND(need(parser, "]"));
    return status;
}

/* box([..], [..]) or ball([..], radius), behind the name */
static enum status read_shape(struct parser *parser, const char *at, bool ball)
{
    double *numbers = arena_take(parser->arena, 6, sizeof *numbers);
    if (!numbers)
        return error_memory(parser->error, "an expression", 6 * sizeof *numbers);
    enum status status = need(parser, "(");
    AND(read_lengths(parser, numbers, 3));
    AND(need(parser, ","));
    const char *last = next(parser);
    AND(read_lengths(parser, numbers + 3, ball ? 1 : 3));
    AND(need(parser, ")"));
    if (status)
        return status;
    if (ball && !(numbers[3] > 0))
        return refuse(parser, last, "the radius must be positive");
    for (int k = 0; k < 3 && !ball; k++)
        if (numbers[k] > numbers[3 + k])
            return refuse(parser, last, "%c is less than that of the first corner: the box is empty",
                          "xyz"[k]);
    return add(parser, (struct where_step){.operation = ball ? WHERE_BALL : WHERE_BOX, .numbers = numbers},
               at, 0);
}

static enum status read_whole(struct parser *parser, double low, double high, double *value)
{
    const char *at = next(parser);
    struct type type = {false, 0};
    enum status status = read_number(parser, value, &type);
    if (!status && (type.power || !(*value >= low && *value <= high) || *value != (double)(int64_t)*value))
        status = refuse(parser, at, "expected a whole number from %.0f to %.0f", low, high);
    return status;
}

/* random(p, seed), behind the name */
static enum status read_random(struct parser *parser, const char *at)
{
    struct where_step step = {.operation = WHERE_RANDOM};
    struct type type = {false, 0};
    enum status status = need(parser, "(");
    const char *first = next(parser);
    AND(parse_sum(parser, &type));
    if (!status && (type.condition || type.power))
        status = refuse(parser, first, "the probability is a number from 0 to 1");
    AND(need(parser, ","));
    AND(read_whole(parser, 0, 0x1p53, &step.number));
    AND(need(parser, ")"));
    return status ? status : add(parser, step, at, 1);
}

/* tag = 3, tag != scar, behind the word */
static enum status read_tag(struct parser *parser, const char *at)
{
    struct where_step step = {.operation = WHERE_TAG};
    bool differs = take(parser, "!=");
    if (!differs && !take(parser, "==") && !take(parser, "="))
        return refuse(parser, next(parser),
                      "a tag is only compared by = or != with a whole number or a name, as in `tag = 3`");
    const char *value = next(parser);
    enum status status = strspn(value, "-0123456789") ? read_whole(parser, INT32_MIN, INT32_MAX, &step.number)
                                                      : read_name(parser, false, &step.name);
    AND(add(parser, step, at, 0));
    return status || !differs ? status : operate(parser, WHERE_NOT, at, 1);
}

/* What begins with a name */
static enum status parse_named(struct parser *parser, struct type *type)
{
    static const char *const calls[] = {"box", "ball", "distance_to", "random"};
    const char *at = next(parser);
    size_t length = word_length(at);
    struct where_step step = {.operation = WHERE_NAME};
    char hint[100];
    *type = (struct type){false, 0};
    if (length == 1 && *at >= 'x' && *at <= 'z') {
        parser->cursor++;
        step.operation = WHERE_COORDINATE;
        step.number = *at - 'x';
        type->power = 1;
        return add(parser, step, at, 0);
    }
    type->condition = true;
    if (take(parser, "tag"))
        return read_tag(parser, at);
    if (take(parser, "box") || take(parser, "ball"))
        return read_shape(parser, at, length == 4);
    if (take(parser, "random"))
        return read_random(parser, at);
    *type = (struct type){false, take(parser, "distance_to")};
    enum status status = type->power ? need(parser, "(") : STATUS_OK;
    AND(read_name(parser, type->power > 0, &step.name));
    if (type->power) {
        step.operation = WHERE_DISTANCE;
        AND(need(parser, ")"));
    } else if (!status && *next(parser) == '(') {
        struct suggestion suggestion = suggest_for(step.name);
        for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
            suggest_try(&suggestion, calls[k]);
        return refuse(parser, at, "unknown '%.40s('%s: it is %s", step.name,
                      suggest_hint(&suggestion, hint, sizeof hint), functions);
    }
    return status ? status : add(parser, step, at, 0);
}

static enum status go_in(struct parser *parser, const char *at)
{
    if (++parser->deep > WHERE_DEEP)
        return refuse(parser, at, "nested too deeply (more than %d levels)", WHERE_DEEP);
    return STATUS_OK;
}

static enum status parse_item(struct parser *parser, struct type *type)
{
    const char *at = next(parser);
    enum status status = go_in(parser, at);
    if (status)
        return status;
    if (!*at)
        return refuse(parser, at, "it ends where a value is due");
    size_t length = word_length(at);
    if (take(parser, "(")) {
        status = parse_or(parser, type);
        AND(need(parser, ")"));
    } else if (strchr("0123456789.", *at)) {
        struct where_step step = {.operation = WHERE_NUMBER};
        status = read_number(parser, &step.number, type);
        AND(add(parser, step, at, 0));
    } else if (is(at, length, "and") || is(at, length, "or") || (!length && *at != '\'' && *at != '"'))
        status = refuse(parser, at, "expected a value before '%.20s'", at);
    else
        status = parse_named(parser, type);
    parser->deep--;
    return status;
}

static enum status parse_sign(struct parser *parser, struct type *type)
{
    const char *at = next(parser);
    if (!take(parser, "-"))
        return parse_item(parser, type);
    enum status status = go_in(parser, at);
    AND(parse_sign(parser, type));
    if (!status && type->condition)
        status = refuse(parser, at, "a condition has no sign");
    AND(operate(parser, WHERE_NEGATE, at, 1));
    parser->deep--;
    return status;
}

/* "a number", "a length" or "a condition" */
static const char *name_of(struct type type)
{
    static const char *const powers[] = {"a number", "a length", "an area"};
    return type.condition                       ? "a condition"
           : type.power >= 0 && type.power <= 2 ? powers[type.power]
                                                : "of another power of the length";
}

static enum status parse_term(struct parser *parser, struct type *type)
{
    enum status status = parse_sign(parser, type);
    for (bool times; !status && ((times = take(parser, "*")) || take(parser, "/"));) {
        const char *at = parser->cursor - 1;
        struct type other;
        status = parse_sign(parser, &other);
        if (!status && (type->condition || other.condition))
            status = refuse(parser, at, "'%c' takes numbers and lengths, not a condition", *at);
        AND(operate(parser, times ? WHERE_MULTIPLY : WHERE_DIVIDE, at, 2));
        type->power += status ? 0 : times ? other.power : -other.power;
    }
    return status;
}

static enum status check_alike(struct parser *parser, const char *at, struct type a, struct type b,
                               const char *what)
{
    if (!a.condition && !b.condition && a.power == b.power)
        return STATUS_OK;
    bool unit = !a.condition && !b.condition && a.power + b.power == 1;
    return refuse(parser, at, "'%s' stands between %s and %s%s", what, name_of(a), name_of(b),
                  unit ? ": a length has its unit, as in 5 mm" : "");
}

static enum status parse_sum(struct parser *parser, struct type *type)
{
    enum status status = parse_term(parser, type);
    for (bool plus; !status && ((plus = take(parser, "+")) || take(parser, "-"));) {
        const char *at = parser->cursor - 1;
        struct type other;
        status = parse_term(parser, &other);
        AND(check_alike(parser, at, *type, other, plus ? "+" : "-"));
        AND(operate(parser, plus ? WHERE_ADD : WHERE_SUBTRACT, at, 2));
    }
    return status;
}

struct comparison {
    const char *sign;
    enum where_operation operation;
    bool reversed; /* a > b is not (a <= b) where neither is NaN: it is written as b < a */
};

static const struct comparison *take_comparison(struct parser *parser)
{
    static const struct comparison comparisons[] = {
        {"<=", WHERE_LESS_EQUAL, false}, {">=", WHERE_LESS_EQUAL, true}, {"<", WHERE_LESS, false},
        {">", WHERE_LESS, true},         {"==", WHERE_EQUAL, false},     {"=", WHERE_EQUAL, false},
        {"!=", WHERE_NOT_EQUAL, false}};
    for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
        if (take(parser, comparisons[k].sign))
            return &comparisons[k];
    return NULL;
}

/* Steps from .. to - 1 once more: the middle of a chain */
static enum status repeat(struct parser *parser, int from, int to)
{
    enum status status = STATUS_OK;
    for (int k = from; k < to && !status; k++) {
        struct where_step step = parser->step[k];
        int operands = step.operation < WHERE_RANDOM ? 0 : step.operation <= WHERE_NOT ? 1 : 2;
        status = add(parser, step, parser->text + step.at, operands);
    }
    return status;
}

/* An operand's steps stand in order; `step.number` of a reversed comparison is 1. */
static enum status parse_chain(struct parser *parser, struct type *type)
{
    int begin = parser->steps, links = 0;
    enum status status = parse_sum(parser, type);
    struct type left = *type;
    const struct comparison *comparison;
    while (!status && (comparison = take_comparison(parser))) {
        const char *at = parser->cursor - strlen(comparison->sign);
        int middle = parser->steps;
        struct type right;
        if (links)
            status = repeat(parser, begin, middle - (links > 1 ? 2 : 1));
        int operand = parser->steps;
        AND(parse_sum(parser, &right));
        AND(check_alike(parser, at, left, right, comparison->sign));
        AND(add(parser,
                (struct where_step){.operation = comparison->operation, .number = comparison->reversed}, at,
                2));
        if (links)
            AND(operate(parser, WHERE_AND, at, 2));
        begin = operand;
        left = right;
        links++;
        *type = (struct type){.condition = true};
    }
    return status;
}

static enum status parse_not(struct parser *parser, struct type *type)
{
    const char *at = next(parser);
    if (!take(parser, "not"))
        return parse_chain(parser, type);
    enum status status = go_in(parser, at);
    AND(parse_not(parser, type));
    if (!status && !type->condition)
        status = refuse(parser, at, "'not' stands before a condition, not before %s", name_of(*type));
    AND(operate(parser, WHERE_NOT, at, 1));
    parser->deep--;
    return status;
}

/* Operands joined by a word, both conditions */
static enum status parse_joined(struct parser *parser, struct type *type, const char *word,
                                enum where_operation operation,
                                enum status (*operand)(struct parser *, struct type *))
{
    enum status status = operand(parser, type);
    while (!status && take(parser, word)) {
        const char *at = parser->cursor - strlen(word);
        struct type other;
        status = operand(parser, &other);
        if (!status && (!type->condition || !other.condition))
            status = refuse(parser, at, "'%s' joins conditions, and one side is %s", word,
                            name_of(type->condition ? other : *type));
        AND(operate(parser, operation, at, 2));
    }
    return status;
}

static enum status parse_and(struct parser *parser, struct type *type)
{
    return parse_joined(parser, type, "and", WHERE_AND, parse_not);
}

static enum status parse_or(struct parser *parser, struct type *type)
{
    return parse_joined(parser, type, "or", WHERE_OR, parse_and);
}

static enum status parse_whole(struct parser *parser, enum where_kind kind)
{
    struct type type = {false, 0};
    if (strlen(parser->text) > WHERE_LONGEST)
        return refuse(parser, parser->text, "longer than %d characters", WHERE_LONGEST);
    enum status status = parse_or(parser, &type);
    if (!status && *next(parser))
        return refuse(parser, parser->cursor, "'%.20s' is too much: no `and` or `or` stands before it",
                      parser->cursor);
    if (!status && kind == WHERE_CONDITION && !type.condition)
        return refuse(parser, parser->text, "this is %s, where a condition is due, such as transmural < 0.3",
                      name_of(type));
    if (!status && kind == WHERE_FACTOR && (type.condition || type.power))
        return refuse(parser, parser->text, "this is %s, where a number is due, such as 0.3", name_of(type));
    return status;
}

static int characters(const char *text, const char *end)
{
    int count = 0;
    for (; text < end; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

enum status where_parse(struct where **where, struct arena *arena, const char *text, enum where_kind kind,
                        int *at, struct error *error)
{
    struct parser parser = {.arena = arena, .error = error, .text = text, .cursor = text, .fault = text};
    enum status status = parse_whole(&parser, kind);
    *at = status ? characters(text, parser.fault) : 0;
    *where = status ? NULL : arena_take(arena, 1, sizeof **where);
    struct where_step *step = *where ? arena_take(arena, (size_t)parser.steps, sizeof *step) : NULL;
    char *copy = step ? arena_text(arena, text, strlen(text)) : NULL;
    if (copy) {
        memcpy(step, parser.step, (size_t)parser.steps * sizeof *step);
        for (int k = 0; k < parser.steps; k++)
            step[k].at = characters(text, text + step[k].at);
        **where = (struct where){copy, step, parser.steps, parser.depth};
    } else if (!status)
        status = error_memory(error, "an expression", (double)parser.steps * sizeof *step);
    free(parser.step);
    return status;
}
