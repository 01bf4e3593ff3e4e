/* matrix.c: make the problem of the simulator's own matrices, and matrices in compressed rows on the host from its
 * assembled system or from a file. */
#include "app/bench/matrix.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/util/path.h"
#include "app/util/text_file.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/matrix/perron.h"
#include "solver/matrix/rows.h"
#include "solver/matrix/spectrum.h"
#include "solver/mesh/refine.h"

/* text <- the slab of Niederer et al. 2011, with fibres oblique to all axes so that no entry vanishes */
static void own_config(char *text, size_t size, const struct bench *bench)
{
    double spacing = !isnan(bench->spacing) ? bench->spacing : bench->quick ? 0.2 : bench->is_cpu ? 0.2 : 0.1;
    const char *extent = bench->quick ? "[3.6 mm, 1.6 mm, 1.2 mm]" : "[20 mm, 7 mm, 3 mm]";
    snprintf(text, size,
             "version: 1\n"
             "title: slab\n"
             "mesh: {slab: {size: %s, spacing: %.17g mm}}\n"
             "tissue:\n"
             "  surface_to_volume: 1400 /cm\n"
             "  capacitance: 1 uF/cm^2\n"
             "  fibers: [0.8, 0.5, 0.33]\n"
             "  regions:\n"
             "    - {tags: all, model: tp06-epi, conductivity: {longitudinal: 0.133417722 S/m, "
             "transverse: 0.017606178 S/m}}\n"
             "stimuli:\n"
             "  - {name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [1.5 mm, 1.5 mm, 1.5 mm]}, duration: 2 ms, "
             "current: 50 uA/uF}\n"
             "time: {end: 60 ms, step: 0.02 ms}\n"
             "output: {directory: out/bench}\n",
             extent, spacing);
}

static enum status refine_mesh(struct bench_problem *p, struct error *error)
{
    struct mesh fine, *mesh = &p->problem.mesh;
    TRY(mesh_fibers_to_elements(mesh, error));
    TRY(mesh_refine(&fine, mesh, error));
    int64_t children = fine.elements / mesh->elements;
    int32_t *region = malloc(((size_t)fine.elements + 1) * sizeof *region);
    if (!region) {
        mesh_free(&fine);
        return error_memory(error, "the regions", 4.0 * (double)fine.elements);
    }
    for (int64_t e = 0; e < fine.elements; e++)
        region[e] = p->problem.params.element_region[e / children];
    mesh_free(mesh);
    *mesh = fine;
    free(p->element_region);
    p->element_region = region;
    p->problem.params.element_region = region;
    return STATUS_OK;
}

enum status bench_problem_open(struct bench_problem *p, struct bench *bench, struct error *error)
{
    char text[1200];
    memset(p, 0, sizeof *p);
    own_config(text, sizeof text, bench);
    enum status status =
        bench->config
            ? config_read(&p->config, bench->config, bench->set, bench->sets, error)
            : config_parse(&p->config, "slab", "", text, strlen(text), bench->set, bench->sets, error);
    if (!status)
        status = user_model_load(p->config.models, bench->queue, config_way(&p->config), error);
    if (!status)
        status = problem_create(&p->problem, &p->config, NULL, error);
    for (int k = 0; k < bench->refine && !status; k++)
        status = refine_mesh(p, error);
    if (status)
        bench_problem_free(p);
    return status;
}

void bench_problem_free(struct bench_problem *p)
{
    problem_free(&p->problem);
    config_free(&p->config);
    free(p->element_region);
    memset(p, 0, sizeof *p);
}

/* Allocates a square matrix. */
static enum status allocate_csr(struct csr *csr, int64_t rows, int64_t entries, struct error *error)
{
    enum status status = STATUS_OK;
    csr->rows = csr->columns = rows;
    csr->start = array_zeroed(rows + 1, sizeof *csr->start, "the matrix", &status, error);
    csr->column = array_new(entries, sizeof *csr->column, "the matrix", &status, error);
    csr->value = array_new(entries, sizeof *csr->value, "the matrix", &status, error);
    return status;
}

static void put_entry(struct csr *csr, int64_t at, int32_t column, double value)
{
    csr->column[at] = column;
    csr->value[at] = value;
}

/* full <- off-diagonal rows and the diagonal, in ascending columns */
static enum status merge_diagonal(struct bench_matrix *m, struct error *error)
{
    int64_t n = m->rows, entries = m->off.start[n] + n;
    if (entries > INT32_MAX)
        return error_set(error, STATUS_INPUT, "the matrix has %lld entries; the bench supports at most %d",
                         (long long)entries, INT32_MAX);
    TRY(allocate_csr(&m->full, n, entries, error));
    for (int64_t i = 0, at = 0; i < n; i++) {
        int64_t k = m->off.start[i], end = m->off.start[i + 1];
        for (; k < end && m->off.column[k] < i; k++)
            put_entry(&m->full, at++, m->off.column[k], m->off.value[k]);
        put_entry(&m->full, at++, (int32_t)i, m->diagonal[i]);
        for (; k < end; k++)
            put_entry(&m->full, at++, m->off.column[k], m->off.value[k]);
        m->full.start[i + 1] = at;
    }
    return STATUS_OK;
}

/* off and diagonal <- A = M + theta dt K, or I - dt M^-1 K; takes over the arrays of system->k. */
static enum status scale_system(struct bench_matrix *m, struct system *system, const struct rows *rows,
                                double dt, bool implicit, struct error *error)
{
    int64_t n = system->k.rows, entries = system->k.start[n];
    enum status status = STATUS_OK;
    if (entries + n > INT32_MAX)
        return error_set(error, STATUS_INPUT, "the matrix has %lld entries; the bench supports at most %d",
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
    struct perron perron;
    struct element_spectrum elements;
    struct node_sums sums = {0};
    const struct scheme scheme = scheme_of(params, params->method);
    double dt = implicit ? scheme.length[0].theta_dt : params->step;
    const struct scheme_length of = {.lumping = 1, .theta_dt = dt};
    enum status status;
    memset(m, 0, sizeof *m);
    TRY_DONE(tensors_check(&tensors, error));
    TRY_DONE(system_assemble(&system, &tensors, false, NULL, error));
    TRY_DONE(rows_make(&rows, &system, &of, error));
    TRY_DONE(perron_bounds(&perron, &system, &of, &rows, NULL, NULL, error));
    m->rows = m->columns = p->problem.mesh.nodes;
    m->bound = scheme.bound;
    m->budget = params->precision_budget;
    TRY_DONE(spectrum_elements(&elements, &tensors, &of, &sums, error));
    m->beta = perron.factor > 0 ? perron.factor : 1 / elements.lowest_mass;
    TRY_DONE(scale_system(m, &system, &rows, dt, implicit, error));
    TRY_DONE(merge_diagonal(m, error));
    snprintf(m->name, sizeof m->name, "%.40s %s", path_base_name(p->config.path),
             implicit ? "implicit" : "explicit");
    m->explicit_step = !implicit;
    m->mesh = p->problem.mesh; /* not owned */
done:
    node_sums_free(&sums);
    rows_free(&rows);
    system_free(&system);
    if (status)
        bench_matrix_free(m);
    return status;
}

/* pattern <- the off-diagonal pattern of A and its transpose */
static enum status symmetric_pattern(struct bench_matrix *m, struct error *error)
{
    int64_t n = m->rows, entries = m->off.start[n];
    struct csr *s = &m->pattern;
    enum status status = STATUS_OK;
    s->rows = n;
    s->start = array_zeroed(n + 1, sizeof *s->start, "the pattern", &status, error);
    s->column = array_new(2 * entries, sizeof *s->column, "the pattern", &status, error);
    int64_t *fill = array_new(n + 1, sizeof *fill, "the pattern", &status, error);
    TRY_DONE(status);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++) {
            s->start[i + 1]++;
            s->start[m->off.column[k] + 1]++;
        }
    for (int64_t i = 0; i < n; i++)
        s->start[i + 1] += s->start[i];
    memcpy(fill, s->start, ((size_t)n + 1) * sizeof *fill);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++) {
            s->column[fill[m->off.column[k]]++] = (int32_t)i;
            s->column[fill[i]++] = m->off.column[k];
        }
done:
    free(fill);
    return status;
}

/* Sorts each row of the pattern and removes duplicates. */
static void tidy_pattern(struct csr *s)
{
    int64_t at = 0, begin = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        int64_t end = s->start[i + 1], first = at;
        if (end > begin)
            qsort(s->column + begin, (size_t)(end - begin), sizeof *s->column, compare_int32);
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
    enum status status = allocate_csr(&m->off, n, entries, error);
    m->diagonal = array_zeroed(n, sizeof *m->diagonal, "the matrix", &status, error);
    TRY(status);
    for (int64_t i = 0, at = 0; i < n; i++) {
        for (int64_t k = m->full.start[i]; k < m->full.start[i + 1]; k++)
            if (m->full.column[k] == i)
                m->diagonal[i] = m->full.value[k];
            else
                put_entry(&m->off, at++, m->full.column[k], m->full.value[k]);
        m->off.start[i + 1] = at;
        if (m->diagonal[i] == 0)
            m->no_sweep = "a row has no diagonal entry, so there is no Jacobi sweep";
    }
    return STATUS_OK;
}

static enum status read_file(struct bench_matrix *m, const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    memset(m, 0, sizeof *m);
    TRY(matrix_market_read(&m->full, path, error));
    snprintf(m->name, sizeof m->name, "%.70s", path_base_name(path));
    m->rows = m->full.rows;
    m->columns = m->full.columns;
    if (m->rows != m->columns)
        m->no_sweep = "the matrix is not square, so there is no Jacobi sweep";
    else if (!(status = part_diagonal(m, error)) && !(status = symmetric_pattern(m, error)))
        tidy_pattern(&m->pattern);
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

enum status bench_each_matrix(struct bench *bench, bool sweep,
                              enum status (*run)(struct bench *bench, const struct bench_matrix *matrix,
                                                 bool sweep, struct error *error),
                              struct error *error)
{
    struct bench_matrix matrix;
    struct bench_problem problem;
    enum status status = STATUS_OK;
    if (bench->file) {
        TRY(read_file(&matrix, bench->file, error));
        status = run(bench, &matrix, sweep, error);
        bench_matrix_free(&matrix);
        return status;
    }
    TRY(bench_problem_open(&problem, bench, error));
    for (int explicit_step = 0; explicit_step <= !sweep; explicit_step++) {
        TRY_DONE(bench_matrix_own(&matrix, &problem, !explicit_step, error));
        status = run(bench, &matrix, sweep, error);
        bench_matrix_free(&matrix);
        TRY_DONE(status);
    }
done:
    bench_problem_free(&problem);
    return status;
}

enum symmetry { GENERAL, SYMMETRIC, SKEW };

struct entry {
    int64_t index, number; /* row * columns + column, from 0; order of reading */
    double value;
};

struct reader {
    struct text_file text;
    bool pattern;
    enum symmetry symmetry;
    int64_t rows, columns, claimed;
    struct entry *entry; /* [entries] including mirrored ones */
    int64_t entries, room;
};

static enum status read_banner(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    char word[5][24];
    bool more;
    enum status status = text_line(text, &more, error);
    if (status)
        return status;
    for (int k = 0; k < 5; k++)
        text_word(text, word[k], sizeof word[k]);
    text->cursor = text->start ? text->start : text->cursor;
    if (!more || strcmp(word[0], "%%MatrixMarket") != 0 || strcasecmp(word[1], "matrix") != 0)
        return text_error(text, error,
                          "not a Matrix Market file: it must begin with '%%%%MatrixMarket matrix'");
    if (strcasecmp(word[2], "coordinate") != 0)
        return text_error(text, error, "a matrix in '%s' format; only 'coordinate' (sparse) is read",
                          word[2]);
    reader->pattern = strcasecmp(word[3], "pattern") == 0;
    if (!reader->pattern && strcasecmp(word[3], "integer") != 0 && strcasecmp(word[3], "real") != 0)
        return text_error(text, error, "entries are '%s'; only real, integer and pattern are read", word[3]);
    if (strcasecmp(word[4], "symmetric") == 0)
        reader->symmetry = SYMMETRIC;
    else if (strcasecmp(word[4], "skew-symmetric") == 0)
        reader->symmetry = SKEW;
    else if (strcasecmp(word[4], "general") != 0)
        return text_error(text, error,
                          "the symmetry is '%s'; only general, symmetric and skew-symmetric are read",
                          word[4]);
    if (reader->symmetry == SKEW && reader->pattern)
        return text_error(text, error, "a pattern cannot be skew-symmetric");
    return STATUS_OK;
}

/* The next line that is neither blank nor a comment */
static enum status next_line(struct text_file *text, const char *what, struct error *error)
{
    bool more;
    do {
        enum status status = text_line(text, &more, error);
        if (status)
            return status;
        if (!more)
            return text_error(text, error, "the file ends before %s", what);
    } while (!text_has_word(text) || *text->cursor == '%');
    return STATUS_OK;
}

static enum status read_size(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    TRY(next_line(text, "the line of sizes", error));
    TRY(text_integer_within(text, &reader->rows, 1, INT32_MAX - 1, "the number of rows", error));
    TRY(text_integer_within(text, &reader->columns, 1, INT32_MAX - 1, "the number of columns", error));
    TRY(text_integer_within(text, &reader->claimed, 0, INT32_MAX - 1, "the number of entries", error));
    TRY(text_end_of_line(text, error));
    if (reader->symmetry != GENERAL && reader->rows != reader->columns)
        return text_error(text, error, "a symmetric matrix of %lld rows and %lld columns",
                          (long long)reader->rows, (long long)reader->columns);
    if (reader->claimed > text_capacity(text, reader->pattern ? 4 : 6))
        return text_error(text, error, "the header declares %lld entries, more than the file can hold",
                          (long long)reader->claimed);
    /* Empty rows need memory too, so a short file could request very much. */
    if (reader->rows > 4 * reader->claimed + (1 << 20))
        return text_error(text, error, "%lld rows with %lld entries: nearly all rows would be empty",
                          (long long)reader->rows, (long long)reader->claimed);
    return STATUS_OK;
}

static enum status add_entry(struct reader *reader, int64_t i, int64_t j, double value, struct error *error)
{
    if (reader->entries == INT32_MAX - 1)
        return text_error(&reader->text, error, "more than %d entries", INT32_MAX - 1);
    TRY(array_grow((void **)&reader->entry, &reader->room, reader->entries, sizeof *reader->entry,
                   "the matrix", error));
    reader->entry[reader->entries] = (struct entry){i * reader->columns + j, reader->entries, value};
    reader->entries++;
    return STATUS_OK;
}

static enum status read_entry(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    int64_t i, j;
    double value = 1;
    TRY(next_line(text, "its last entry", error));
    TRY(text_integer_within(text, &i, 1, reader->rows, "the row", error));
    TRY(text_integer_within(text, &j, 1, reader->columns, "the column", error));
    if (!reader->pattern)
        TRY(text_number(text, 0, &value, "the value", error));
    TRY(text_end_of_line(text, error));
    if (!isfinite(value))
        return text_error(text, error, "the value is not finite");
    if (reader->symmetry != GENERAL && j > i)
        return text_error(text, error, "entry (%lld, %lld) lies above the diagonal of a symmetric matrix",
                          (long long)i, (long long)j);
    if (reader->symmetry == SKEW && i == j)
        return text_error(text, error, "a diagonal entry in a skew-symmetric matrix");
    TRY(add_entry(reader, i - 1, j - 1, value, error));
    if (reader->symmetry != GENERAL && i != j)
        return add_entry(reader, j - 1, i - 1, reader->symmetry == SKEW ? -value : value, error);
    return STATUS_OK;
}

static enum status read_entries(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    bool more = true;
    for (int64_t k = 0; k < reader->claimed; k++)
        TRY(read_entry(reader, error));
    while (more) {
        TRY(text_line(text, &more, error));
        if (more && text_has_word(text) && *text->cursor != '%')
            return text_error(text, error, "the header declares %lld entries, but more follow",
                              (long long)reader->claimed);
    }
    return STATUS_OK;
}

/* market <- the entries, sorted; those of one position are added in the order of the file */
static enum status sort_entries(struct csr *market, const struct reader *reader, struct error *error)
{
    int64_t count = 0;
    TRY(allocate_csr(market, reader->rows, reader->entries, error));
    market->columns = reader->columns;
    if (reader->entries > 0)
        qsort(reader->entry, (size_t)reader->entries, sizeof *reader->entry, compare_int64_pair);
    for (int64_t k = 0; k < reader->entries; k++) {
        const struct entry *entry = &reader->entry[k];
        if (k > 0 && entry->index == entry[-1].index) {
            market->value[count - 1] += entry->value;
            continue;
        }
        put_entry(market, count++, (int32_t)(entry->index % reader->columns), entry->value);
        market->start[entry->index / reader->columns + 1] = count;
    }
    for (int64_t i = 0; i < reader->rows; i++) /* an empty row ends where it starts */
        if (market->start[i + 1] < market->start[i])
            market->start[i + 1] = market->start[i];
    return STATUS_OK;
}

enum status matrix_market_read(struct csr *market, const char *path, struct error *error)
{
    struct reader reader = {0};
    enum status status;
    memset(market, 0, sizeof *market);
    TRY_DONE(text_open(&reader.text, path, NULL, error));
    TRY_DONE(read_banner(&reader, error));
    TRY_DONE(read_size(&reader, error));
    TRY_DONE(read_entries(&reader, error));
    status = sort_entries(market, &reader, error);
done:
    text_close(&reader.text);
    free(reader.entry);
    if (status)
        csr_free(market);
    return status;
}
