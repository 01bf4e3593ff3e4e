/* tp06.cu: the unit of ten Tusscher and Panfilov 2006 on the GPU. */
#define IONIC_FORMULA tp06
#define IONIC_TEXT "kernels/models/tp06.h"
#include "kernels/ionic/loops.cuh"
