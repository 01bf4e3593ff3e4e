/* formulas.h: the name of every formula once; see list.h. A formula may serve several models, which then
 * differ in values only. */
#ifndef CARDIAC_KERNELS_MODELS_FORMULAS_H
#define CARDIAC_KERNELS_MODELS_FORMULAS_H

#define IONIC_FORMULAS(X)                                                                                    \
    X(tp06)                                                                                                  \
    X(mitchell_schaeffer)                                                                                    \
    X(fitzhugh_nagumo)                                                                                       \
    X(passive)                                                                                               \
    X(huxley)                                                                                                \
    X(pathmanathan_gray)                                                                                     \
    X(splitting_test)

/* Those of them that have a table in V, made and read by kernels/models/<formula>_table.h. */
#define IONIC_TABLED_FORMULAS(X) X(tp06)

#endif
