/* list.h: every ionic model once. To add one: its header here and its line in models/formulas.h;
 * docs/dev/adding.md says what a header holds. This file is read twice by formulas.h (REAL = double, then
 * float), so it has no include guard. */
#include "kernels/models/fitzhugh_nagumo.h"
#include "kernels/models/huxley.h"
#include "kernels/models/mitchell_schaeffer.h"
#include "kernels/models/passive.h"
#include "kernels/models/pathmanathan_gray.h"
#include "kernels/models/splitting_test.h"
#include "kernels/models/tp06.h"
#include "kernels/models/tp06_table.h"
