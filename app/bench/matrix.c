/* matrix.c: assembled systems and files -> compressed rows on the host. */
#include "app/bench/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/matrix_market.h"
#include "kernels/base/array.h"
#include "solver/matrix/rows.h"
#include "solver/matrix/spectrum.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* full <- off-diagonal rows and the diagonal, in ascending columns */
static enum status merge_diagonal(struct bench_matrix *m, struct error *error)
{
    int64_t n = m->rows, entries = m->off.start[n] + n;
    if (entries > INT32_MAX)
        return error_set(error, STATUS_INPUT, "the matrix has %lld entries; the bench takes at most %d",
                         (long long)entries, INT32_MAX);
    m->full.rows = m->full.columns = n;
    m->full.start = malloc(((size_t)n + 1) * sizeof *m->full.start);
    m->full.column = malloc(((size_t)entries + 1) * sizeof *m->full.column);
    m->full.value = malloc(((size_t)entries + 1) * sizeof *m->full.value);
    if (!m->full.start || !m->full.column || !m->full.value)
        return error_memory(error, "the matrix", 12.0 * (double)entries);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        bool placed = false;
        m->full.start[i] = at;
        for (int64_t k = m->off.start[i]; k <= m->off.start[i + 1]; k++) {
            bool is_end = k == m->off.start[i + 1];
            if (!placed && (is_end || m->off.column[k] > i)) {
                m->full.column[at] = (int32_t)i;
                m->full.value[at++] = m->diagonal[i];
                placed = true;
            }
            if (!is_end) {
                m->full.column[at] = m->off.column[k];
                m->full.value[at++] = m->off.value[k];
            }
        }
    }
    m->full.start[n] = at;
    return STATUS_OK;
}

/* off and diagonal <- A = M + theta dt K, or I - dt M^-1 K; the entries take the place of the system's. */
static enum status scale_system(struct bench_matrix *m, struct system *system, const struct rows *rows,
                                double dt, bool implicit, struct error *error)
{
    int64_t n = system->k.rows, entries = system->k.start[n];
    enum status status = STATUS_OK;
    if (entries + n > INT32_MAX)
        return error_set(error, STATUS_INPUT, "the matrix has %lld entries; the bench takes at most %d",
                         (long long)(entries + n), INT32_MAX);
    m->diagonal = array_new(n, sizeof *m->diagonal, "the matrix", &status, error);
    m->rate = array_new(n, sizeof *m->rate, "the matrix", &status, error);
    if (status)
        return status;
    m->off = system->k;
    system->k = (struct csr){0};
    for (int64_t i = 0; i < n; i++) {
        double mass = system->lumped[i];
        m->rate[i] = rows->offdiag_abs_sum[i] / mass;
        m->diagonal[i] = implicit ? rows->diagonal[i] : 2 - rows->diagonal[i] / mass;
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++)
            m->off.value[k] = implicit ? dt * m->off.value[k] : -dt * m->off.value[k] / mass;
    }
    m->pattern = m->off;
    return STATUS_OK;
}

enum status bench_matrix_own(struct bench_matrix *m, const struct bench_problem *p, bool implicit,
                             struct error *error)
{
    const struct monodomain_params *params = &p->problem.params;
    struct tensors tensors = {&p->problem.mesh, params->region, params->element_region, params->fiber};
    struct system system = {0};
    struct rows rows = {0};
    double dt = implicit ? params->theta * params->step : params->step;
    struct coefficients coefficients = {0, dt, dt};
    memset(m, 0, sizeof *m);
    enum status status = tensors_check(&tensors, error);
    AND(system_assemble(&system, &p->problem.mesh, &tensors, 0, error));
    AND(rows_make(&rows, &system, &coefficients, 1, dt, error));
    m->rows = m->columns = p->problem.mesh.nodes;
    m->bound = params->precision_bound > 0 ? params->precision_bound : 20;
    m->budget = params->precision_budget;
    if (!status) {
        m->beta = rows_error_factor(&rows, &system, 1);
        m->beta = m->beta > 0 ? m->beta : 1 / spectrum_elements(&tensors, 1, dt).lowest_mass;
        status = scale_system(m, &system, &rows, dt, implicit, error);
    }
    AND(merge_diagonal(m, error));
    rows_free(&rows);
    system_free(&system);
    if (status) {
        bench_matrix_free(m);
        return status;
    }
    snprintf(m->name, sizeof m->name, "%.40s %s", base_name(p->config.path),
             implicit ? "implicit" : "explicit");
    m->explicit_step = !implicit;
    m->mesh = p->problem.mesh; /* borrowed */
    return STATUS_OK;
}

/* pattern <- the off-diagonal pattern of A and its transpose */
static enum status symmetric_pattern(struct bench_matrix *m, struct error *error)
{
    int64_t n = m->rows, entries = m->off.start[n];
    struct csr *s = &m->pattern;
    int64_t *fill = calloc((size_t)n + 2, sizeof *fill);
    s->rows = n;
    s->start = calloc((size_t)n + 2, sizeof *s->start);
    s->column = malloc((2 * (size_t)entries + 1) * sizeof *s->column);
    if (!fill || !s->start || !s->column) {
        free(fill);
        return error_memory(error, "the pattern", 8.0 * (double)entries);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++) {
            s->start[i + 1]++;
            s->start[m->off.column[k] + 1]++;
        }
    for (int64_t i = 0; i < n; i++)
        s->start[i + 1] += s->start[i];
    memcpy(fill, s->start, ((size_t)n + 1) * sizeof *fill);
    /* Rows come in ascending order, so each row's transposed part ascends, and its own does: merged below. */
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++)
            s->column[fill[m->off.column[k]]++] = (int32_t)i;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++)
            s->column[fill[i]++] = m->off.column[k];
    free(fill);
    return STATUS_OK;
}

static int ascending(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

/* Sorts each row of the pattern and drops what stands there twice. */
static void tidy_pattern(struct csr *s)
{
    int64_t at = 0, begin = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        int64_t end = s->start[i + 1], first = at;
        if (end > begin)
            qsort(s->column + begin, (size_t)(end - begin), sizeof *s->column, ascending);
        for (int64_t k = begin; k < end; k++)
            if (at == first || s->column[at - 1] != s->column[k])
                s->column[at++] = s->column[k];
        begin = end;
        s->start[i + 1] = at;
    }
}

/* off and diagonal <- full */
static enum status part_diagonal(struct bench_matrix *m, struct error *error)
{
    int64_t n = m->rows, entries = m->full.start[n];
    m->off.rows = m->off.columns = n;
    m->off.start = malloc(((size_t)n + 1) * sizeof *m->off.start);
    m->off.column = malloc(((size_t)entries + 1) * sizeof *m->off.column);
    m->off.value = malloc(((size_t)entries + 1) * sizeof *m->off.value);
    m->diagonal = calloc((size_t)n + 1, sizeof *m->diagonal);
    if (!m->off.start || !m->off.column || !m->off.value || !m->diagonal)
        return error_memory(error, "the matrix", 12.0 * (double)entries);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        m->off.start[i] = at;
        for (int64_t k = m->full.start[i]; k < m->full.start[i + 1]; k++)
            if (m->full.column[k] == i) {
                m->diagonal[i] = m->full.value[k];
            } else {
                m->off.column[at] = m->full.column[k];
                m->off.value[at++] = m->full.value[k];
            }
        if (m->diagonal[i] == 0)
            m->no_sweep = "a row has no diagonal entry, so there is no Jacobi sweep";
    }
    m->off.start[n] = at;
    return STATUS_OK;
}

enum status bench_matrix_file(struct bench_matrix *m, const char *path, struct error *error)
{
    memset(m, 0, sizeof *m);
    enum status status = matrix_market_read(&m->full, path, error);
    if (status)
        return status;
    snprintf(m->name, sizeof m->name, "%.70s", base_name(path));
    m->rows = m->full.rows;
    m->columns = m->full.columns;
    if (m->rows == m->columns) {
        status = part_diagonal(m, error);
        AND(symmetric_pattern(m, error));
        if (!status)
            tidy_pattern(&m->pattern);
    } else {
        m->no_sweep = "the matrix is not square, so there is no Jacobi sweep";
    }
    if (status)
        bench_matrix_free(m);
    return status;
}

void bench_matrix_free(struct bench_matrix *m)
{
    if (m->pattern.start != m->off.start)
        csr_free(&m->pattern);
    csr_free(&m->off);
    csr_free(&m->full);
    free(m->diagonal);
    free(m->rate);
    memset(m, 0, sizeof *m);
}

enum status bench_each_matrix(struct bench *bench, bool implicit, bool explicit_too,
                              enum status (*run)(struct bench *, const struct bench_matrix *, struct error *),
                              struct error *error)
{
    struct bench_matrix matrix;
    struct bench_problem problem;
    enum status status = STATUS_OK;
    if (bench->file) {
        status = bench_matrix_file(&matrix, bench->file, error);
        if (!status) {
            status = run(bench, &matrix, error);
            bench_matrix_free(&matrix);
        }
        return status;
    }
    status = bench_problem_open(&problem, bench, error);
    if (status)
        return status;
    for (int k = 0; k < 2 && !status; k++) {
        if (!(k == 0 ? implicit : explicit_too))
            continue;
        status = bench_matrix_own(&matrix, &problem, k == 0, error);
        if (!status) {
            status = run(bench, &matrix, error);
            bench_matrix_free(&matrix);
        }
    }
    bench_problem_free(&problem);
    return status;
}
