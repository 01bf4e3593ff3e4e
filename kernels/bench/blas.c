/* blas.c: OpenBLAS, where it is installed. */
#include "kernels/bench/blas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device/cpu.h"

/* The C interface of the reference BLAS: order, transpositions, sizes, alpha, A, B, beta, C */
typedef void sgemm_function(int order, int of_a, int of_b, int m, int n, int k, float alpha, const float *a,
                            int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void threads_function(int threads);

enum { ROW_MAJOR = 101, AS_IS = 111 };

struct blas {
    void *library;
    sgemm_function *sgemm;
};

/* POSIX lets an object pointer from dlsym stand for a function. */
#define LOOK_UP(function, library, name)                                                                     \
    do {                                                                                                     \
        void *found = dlsym(library, name);                                                                  \
        memcpy(&(function), &found, sizeof found);                                                           \
    } while (0)

struct blas *blas_open_cpu(struct queue *queue)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    void *library = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++)
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    struct blas *blas = library ? calloc(1, sizeof *blas) : NULL;
    if (!blas)
        return NULL;
    threads_function *set_threads;
    blas->library = library;
    LOOK_UP(blas->sgemm, library, "cblas_sgemm");
    LOOK_UP(set_threads, library, "openblas_set_num_threads");
    if (set_threads)
        set_threads(cpu_threads(queue));
    if (!blas->sgemm) {
        blas_close_cpu(blas);
        return NULL;
    }
    return blas;
}

void blas_close_cpu(struct blas *blas)
{
    if (blas)
        dlclose(blas->library);
    free(blas);
}

void blas_gemm_cpu(struct blas *blas, const struct gemm *g)
{
    int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    blas->sgemm(ROW_MAJOR, AS_IS, AS_IS, m, n, k, 1, g->a, k, g->b, n, 0, g->c, n);
}
