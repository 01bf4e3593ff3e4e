/* compare.c: `cardiac compare`: do two results, or two checkpoints, say the same? */
#include "app/commands/compare.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/io/result.h"
#include "app/util/command.h"
#include "app/util/options.h"

void compare_count(struct compare *compare, const struct difference *difference)
{
    bool within = difference_within(difference, compare->tolerance);
    compare->compared++;
    compare->apart += !within;
    printf("  max %-12.6g rms %-12.6g", difference->max, difference->rms);
    if (difference->bits && difference->max == 0)
        printf(" only the sign of zero differs");
}

void compare_alone(struct compare *compare, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    compare->compared++;
    compare->apart++;
}

/* "0.001" or "0.001 mV": the unit is that of whatever is compared, so that none is read here. */
static enum status read_tolerance(const char *text, double *tolerance, struct error *error)
{
    char *end;
    errno = 0;
    *tolerance = strtod(text, &end);
    if (end == text || *end || errno || !isfinite(*tolerance) || *tolerance < 0)
        return error_set(error, STATUS_INPUT, "--tolerance '%.80s' is not a number of 0 or more", text);
    return STATUS_OK;
}

static enum status compare_files(struct compare *compare, struct error *error)
{
    bool result_a = result_is(compare->a), result_b = result_is(compare->b);
    if (!result_a && !result_b && result_is_checkpoint(compare->a) && result_is_checkpoint(compare->b))
        return compare_checkpoints(compare, error);
    if (result_a != result_b &&
        (result_a ? result_is_checkpoint(compare->b) : result_is_checkpoint(compare->a)))
        return error_set(error, STATUS_INPUT, "%s is a result and %s a checkpoint: they cannot be compared",
                         result_a ? compare->a : compare->b, result_a ? compare->b : compare->a);
    return compare_results(compare, error);
}

static enum status verdict(const struct compare *compare, struct error *error)
{
    if (!compare->apart) {
        if (compare->tolerance > 0)
            printf("equal within %g (%lld compared)\n", compare->tolerance, (long long)compare->compared);
        else
            printf("equal (%lld compared)\n", (long long)compare->compared);
        return STATUS_OK;
    }
    if (compare->tolerance > 0)
        return error_set(error, STATUS_DIFFERS, "%s and %s differ: %lld of %lld are more than %g apart",
                         compare->a, compare->b, (long long)compare->apart, (long long)compare->compared,
                         compare->tolerance);
    return error_set(error, STATUS_DIFFERS, "%s and %s differ: %lld of %lld are not the same", compare->a,
                     compare->b, (long long)compare->apart, (long long)compare->compared);
}

enum status command_compare(int argc, char **argv, struct error *error)
{
    const char *tolerance = NULL;
    struct compare compare = {0};
    bool help;
    int count;
    const struct option options[] = {
        {"--tolerance", "X",
         "largest |A - B| that counts as equal, in each array's own unit (0: the same bits)",
         .text = &tolerance},
        {"--field", "NAME", "compare this array alone", .text = &compare.field},
        {0},
    };
    const struct usage usage = {
        "compare A B [--tolerance X] [--field NAME]",
        "Compares two result files (.vtkhdf) or two checkpoints (.h5): per array and time the largest and "
        "the\n"
        "root mean square difference and where it is. NaN equals NaN. Exit status 0: equal, 1: not, 2: the\n"
        "files cannot be compared.",
        options, 2, 2};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (tolerance)
        status = read_tolerance(tolerance, &compare.tolerance, error);
    compare.a = argv[1];
    compare.b = argv[2];
    if (!status)
        status = compare_files(&compare, error);
    if (!status)
        status = verdict(&compare, error);
    fflush(stdout);
    return status;
}
