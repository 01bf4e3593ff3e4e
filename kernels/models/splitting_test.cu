/* splitting_test.cu: the unit of the cell that tests splittings on the GPU. */
#define IONIC_FORMULA splitting_test
#define IONIC_TEXT "kernels/models/splitting_test.h"
#include "kernels/ionic/loops.cuh"
