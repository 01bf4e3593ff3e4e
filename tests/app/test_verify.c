/* test_verify.c: the verdict itself: a figure outside its interval, or none at all, fails a case; with an
 * error planted it is the other way round; names are checked. The figures of a beat are those of its straight
 * lines. */
#include <string.h>

#include "app/util/command.h"
#include "app/verify/cell.h"
#include "app/verify/verify.h"
#include "tests/support/check.h"

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

/* V rises from -80 to 40 mV in 1 ms and falls to `end` in 300 ms; sampled every 0.5 ms after the first 2 */
static struct cell_beat straight(double end)
{
    struct cell_beat beat = cell_beat_begin();
    struct cell_sample before = {.v = -80, .ca_i = 1}, now;
    for (int n = 1; before.time < 301; n++, before = now) {
        double t = n <= 20 ? 0.1 * n : 2 + 0.5 * (n - 20),
               v = t <= 1 ? -80 + 120 * t : 40 + (t - 1) / 300 * (end - 40);
        now = (struct cell_sample){t, fmax(v, end), t < 99.9 ? t : 1, 2, 3, 4};
        cell_beat_follow(&beat, &before, &now);
    }
    return beat;
}

static void test_beat(void)
{
    struct cell_beat beat = straight(-80);
    const double *figure = beat.figure;
    CHECK(figure[CELL_REST] == -80 && figure[CELL_NA] == 3 && figure[CELL_K] == 4, "rest %g",
          figure[CELL_REST]);
    CHECK_CLOSE(figure[CELL_PEAK], 40.0, 1e-12);
    CHECK_CLOSE(figure[CELL_SLOPE], 120.0, 1e-9);
    CHECK_CLOSE(figure[CELL_UP], 80.0 / 120, 1e-12);
    CHECK_CLOSE(figure[CELL_APD50], 151 - 80.0 / 120, 1e-9);
    CHECK_CLOSE(figure[CELL_APD90], 271 - 80.0 / 120, 1e-9);
    CHECK_CLOSE(figure[CELL_CA_PEAK], 99.5, 1e-9); /* the last sample below 99.9 ms */
    CHECK_CLOSE(figure[CELL_CA_REST], 1.0, 0);
    beat = straight(-60); /* falls by 83 % */
    CHECK(!isnan(beat.figure[CELL_APD50]) && isnan(beat.figure[CELL_APD90]),
          "APD90 %g of a beat that does not end", beat.figure[CELL_APD90]);
    CHECK(isnan(straight(40).figure[CELL_APD50]), "APD50 of a beat that stays up");
}

int main(void)
{
    test_beat();
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
