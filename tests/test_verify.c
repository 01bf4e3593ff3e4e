/* test_verify.c: the verdict itself: a figure outside its interval, or none at all, fails a case; with an
 * error planted it is the other way round; names are checked. */
#include <string.h>

#include "app/command.h"
#include "app/verify.h"
#include "tests/check.h"

static int wrong_cases(bool inject, double value)
{
    struct verify verify = {.inject = inject};
    verify_case(&verify, "a case with one figure");
    verify_interval(&verify, "inside", 1, 1, 1);
    verify_interval(&verify, "under test", value, 0.5, 2);
    verify_end(&verify);
    verify_end(&verify); /* nothing is counted twice */
    CHECK(verify.cases == 1, "%d cases", verify.cases);
    return verify.wrong;
}

static enum status run(int argc, char **argv, struct error *error)
{
    *error = (struct error){0};
    return command_verify(argc, argv, error);
}

int main(void)
{
    struct error error;
    CHECK(wrong_cases(false, 0.5) == 0, "the lower end belongs to the interval");
    CHECK(wrong_cases(false, 2) == 0, "the upper end belongs to the interval");
    CHECK(wrong_cases(false, 2.0000001) == 1, "a miss passed");
    CHECK(wrong_cases(false, NAN) == 1, "NaN passed");
    CHECK(wrong_cases(true, 1) == 1, "a planted error that nothing saw passed");
    CHECK(wrong_cases(true, NAN) == 0, "a planted error that was caught failed");

    CHECK(run(2, (char *[]){"verify", "splittin", NULL}, &error) == STATUS_INPUT, "an unknown name passed");
    CHECK(strstr(error.text, "'splitting'"), "%s", error.text);
    CHECK(run(1, (char *[]){"verify", NULL}, &error) == STATUS_INPUT, "no name passed");
    CHECK(run(4, (char *[]){"verify", "all", "--quick", "--full", NULL}, &error) == STATUS_INPUT, "%s",
          error.text);
    CHECK(run(4, (char *[]){"verify", "stimulus", "--device", "abacus", NULL}, &error) == STATUS_INPUT,
          "an unknown device passed");
    CHECK(run(6, (char *[]){"verify", "stimulus", "--threads", "1", "--device", "cpu", NULL}, &error) ==
              STATUS_OK,
          "%s", error.text);
    return 0;
}
