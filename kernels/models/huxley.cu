/* huxley.cu: the unit of Huxley's cubic reaction on the GPU. */
#define IONIC_FORMULA huxley
#define IONIC_TEXT "kernels/models/huxley.h"
#include "kernels/ionic/loops.cuh"
