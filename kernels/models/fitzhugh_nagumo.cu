/* fitzhugh_nagumo.cu: the unit of FitzHugh-Nagumo on the GPU. */
#define IONIC_FORMULA fitzhugh_nagumo
#define IONIC_TEXT "kernels/models/fitzhugh_nagumo.h"
#include "kernels/ionic/loops.cuh"
