/* interval.c: cases and figures: a figure is printed with the interval that it must lie in. */
#include <stdarg.h>
#include <stdio.h>

#include "app/verify/verify.h"

void verify_end(struct verify *verify)
{
    if (!verify->in_case)
        return;
    bool wrong = verify->inject ? verify->missed == 0 : verify->missed > 0;
    if (verify->inject)
        printf("    planted error %s\n", wrong ? "NOT CAUGHT" : "caught");
    verify->wrong += wrong;
    verify->cases++;
    verify->in_case = false;
}

void verify_case(struct verify *verify, const char *format, ...)
{
    va_list arguments;
    verify_end(verify);
    va_start(arguments, format);
    fputs("  ", stdout);
    vprintf(format, arguments);
    fputc('\n', stdout);
    va_end(arguments);
    verify->in_case = true;
    verify->checks = verify->missed = 0;
}

void verify_interval(struct verify *verify, const char *what, double value, double low, double high)
{
    bool good = value >= low && value <= high;
    verify->checks++;
    verify->missed += !good;
    printf("    %-48s %12.6g   in [%.6g, %.6g]   %s\n", what, value, low, high, good ? "ok" : "MISS");
    fflush(stdout);
}

double verify_diffusion(const struct verify *verify)
{
    return verify->inject ? 1.01 : 1;
}
