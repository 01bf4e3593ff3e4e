/* interval.c: prints the figures of a case, each with the interval that it must lie in. */
#include <stdarg.h>
#include <stdio.h>

#include "app/util/json.h"
#include "app/verify/verify.h"

void verify_end(struct verify *verify)
{
    if (!verify->in_case)
        return;
    bool wrong = verify->inject ? verify->missed == 0 : verify->missed > 0;
    if (verify->inject && !verify->json)
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
    vsnprintf(verify->title, sizeof verify->title, format, arguments);
    va_end(arguments);
    if (!verify->json)
        printf("  %s\n", verify->title);
    verify->in_case = true;
    verify->checks = verify->missed = 0;
}

static void print_json(const struct verify *verify, const char *what, double value, double low, double high,
                       bool good)
{
    struct json json = json_line(stdout);
    json_open(&json, NULL, '{');
    json_text(&json, "problem", verify->problem);
    json_text(&json, "case", verify->title);
    json_text(&json, "figure", what);
    json_number(&json, "value", value);
    json_number(&json, "low", low);
    json_number(&json, "high", high);
    json_flag(&json, "within", good);
    json_close(&json);
}

void verify_interval(struct verify *verify, const char *what, double value, double low, double high)
{
    bool good = value >= low && value <= high;
    verify->checks++;
    verify->missed += !good;
    if (verify->json) {
        print_json(verify, what, value, low, high, good);
        return;
    }
    printf("    %-48s %12.6g   in [%.6g, %.6g]   %s\n", what, value, low, high, good ? "ok" : "MISS");
    fflush(stdout);
}

double verify_diffusion(const struct verify *verify)
{
    return verify->inject ? 1.01 : 1;
}
