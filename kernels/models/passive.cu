/* passive.cu: the unit of the linear leak on the GPU. */
#define IONIC_FORMULA passive
#define IONIC_TEXT "kernels/models/passive.h"
#include "kernels/ionic/loops.cuh"
