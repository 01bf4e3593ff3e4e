/* niederer_stored.c: activation times of the Niederer benchmark.
 *
 * stored[] was printed by `cardiac verify niederer niederer-0.1 --full --update`; print and compare it anew
 * after a change that is meant to move the figures, and say in the commit why they moved. */
#include "app/verify/niederer.h"

#include <stddef.h>

static const struct niederer_stored stored[] = {
    {0.5, 0.02, 1, {1.2541, 112.5574, 44.8676, 124.6242, 25.3831, 115.9700, 49.9668, 127.4155, 55.7796}},
    {0.5, 0.02, 0.5, {1.2535, 77.5780, 39.8428, 88.0480, 18.3720, 78.2879, 40.8064, 88.3707, 38.4430}},
    {0.5, 0.02, 0, {1.2533, 49.1492, 33.9972, 56.7147, 12.1333, 47.5284, 33.0552, 54.4410, 24.2252}},
    {0.2, 0.02, 1, {1.2541, 40.4273, 35.5347, 53.8153, 11.8119, 42.5814, 37.1218, 55.0571, 24.6924}},
    {0.2, 0.02, 0.5, {1.2537, 35.0192, 33.7151, 46.9489, 10.4509, 36.3791, 34.3834, 47.5975, 21.4462}},
    {0.2, 0.02, 0, {1.2531, 28.8362, 31.8894, 38.9216, 8.8870, 29.1004, 31.9260, 38.6664, 17.8698}},
    {0.1, 0.02, 1, {1.2540, 30.9404, 33.6571, 45.0533, 9.2120, 32.5346, 34.9414, 46.0899, 21.0093}},
    {0.1, 0.02, 0.5, {1.2539, 28.6139, 33.0021, 42.0685, 8.6361, 29.7458, 33.8541, 42.6903, 19.6674}},
};

/* P1 FEM: the demo of fenicsx-beat (MIT), consistent mass. Finite volumes: the test table of Cardioid (MIT).
 * Steps as given there. Points in the order of niederer.c. */
static const struct niederer_other others[] = {
    {"P1 FEM consistent, dt 0.05", 0.5, {1.25, 51.1, 34.9, 58.9, 14.1, 49.5, 34.0, 56.65, 26.05}},
    {"finite volume, dt 0.005", 0.5, {1.23, 107.83, 44.21, 119.29, 20.74, 109.14, 47.00, 120.12, 55.18}},
    {"P1 FEM consistent, dt 0.01", 0.2, {1.24, 29.09, 31.25, 38.66, 9.34, 29.4, 31.29, 38.42, 18.14}},
    {"finite volume, dt 0.005", 0.2, {1.23, 39.63, 34.72, 52.73, 11.09, 41.34, 36.05, 53.65, 23.80}},
    {"P1 FEM consistent, dt 0.005", 0.1, {1.225, 25.5, 31.26, 37.81, 7.99, 26.09, 31.72, 37.93, 17.835}},
    {"finite volume, dt 0.005", 0.1, {1.23, 30.24, 32.64, 43.71, 8.82, 31.63, 33.78, 44.59, 20.43}},
    {"finite volume, dt 0.01", 0.1, {1.24, 30.52, 33.03, 44.24, 8.90, 31.94, 34.19, 45.13, 20.67}},
};

const struct niederer_stored *niederer_stored(double spacing, double step, double lumping)
{
    for (size_t k = 0; k < sizeof stored / sizeof *stored; k++)
        if (stored[k].spacing == spacing && stored[k].step == step && stored[k].lumping == lumping)
            return &stored[k];
    return NULL;
}

const struct niederer_other *niederer_other(double spacing, int k)
{
    for (size_t n = 0; n < sizeof others / sizeof *others; n++)
        if (others[n].spacing == spacing && k-- == 0)
            return &others[n];
    return NULL;
}
