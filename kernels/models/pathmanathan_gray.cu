/* pathmanathan_gray.cu: the unit of the cell of Pathmanathan and Gray on the GPU. */
#define IONIC_FORMULA pathmanathan_gray
#define IONIC_TEXT "kernels/models/pathmanathan_gray.h"
#include "kernels/ionic/loops.cuh"
