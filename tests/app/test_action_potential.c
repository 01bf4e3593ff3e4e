/* test_action_potential.c: peak and duration of potentials made of straight lines, whose duration is known.
 */
#include "app/run/action_potential.h"
#include "tests/support/check.h"

enum { ROWS = 9 };

int main(void)
{
    /* two potentials in columns 1 and 4 of five: 100 mV and 50 mV above -80 mV; the second begins before it
     * is at rest */
    static const double time[ROWS] = {0, 10, 20, 120, 220, 230, 330, 400, 401};
    static const double v[ROWS] = {-80, -80, 20, 0, -75, -30, -32, -79, -80};
    double row[5 * ROWS];
    for (int k = 0; k < 5 * ROWS; k++)
        row[k] = k % 5 == 4 ? v[k / 5] : NAN;
    /* falls through 20 - 0.9 * 100 = -70 at 120 + 100 * 70 / 75 */
    struct action_potential first = action_potential_measure(time, row + 4, ROWS, 5, -INFINITY, 18, 225);
    CHECK_CLOSE(first.peak, 20.0, 0);
    CHECK_CLOSE(first.apd90, 120 + 100 * 70.0 / 75 - 18, 1e-12);
    /* rest is the lowest since the first began: -75; the level -30 - 0.9 * 45 = -70.5 */
    struct action_potential second = action_potential_measure(time, row + 4, ROWS, 5, 18, 225, INFINITY);
    CHECK_CLOSE(second.peak, -30.0, 0);
    CHECK_CLOSE(second.apd90, 330 + 70 * 38.5 / 47 - 225, 1e-12);
    /* cut before it has fallen, and begun before the rows */
    CHECK(isnan(action_potential_measure(time, row + 4, 4, 5, -INFINITY, 18, INFINITY).apd90), "not over");
    CHECK_CLOSE(action_potential_measure(time, row + 4, 4, 5, -INFINITY, 18, INFINITY).peak, 20.0, 0);
    CHECK(isnan(action_potential_measure(time + 3, v + 3, 5, 1, -INFINITY, 18, 225).apd90), "no rest seen");
    CHECK(isnan(action_potential_measure(time, v, ROWS, 1, -INFINITY, 500, INFINITY).peak), "after the rows");
    CHECK(isnan(action_potential_measure(NULL, NULL, 0, 1, -INFINITY, 5, INFINITY).apd90), "without rows");
    printf("action potentials are measured\n");
    return 0;
}
