/* mitchell_schaeffer.cu: the unit of Mitchell and Schaeffer on the GPU. */
#define IONIC_FORMULA mitchell_schaeffer
#define IONIC_TEXT "kernels/models/mitchell_schaeffer.h"
#include "kernels/ionic/loops.cuh"
