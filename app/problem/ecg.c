/* ecg.c: make leads from the names of the electrodes. */
#include "app/problem/ecg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/electrode_cache.h"
#include "app/problem/torso.h"
#include "app/util/csv.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "solver/heart/electrodes.h"
#include "solver/matrix/assembly.h"

enum { RA, LA, LL, LIMBS };
static const char *const limbs[LIMBS] = {"RA", "LA", "LL"};

/* Leads as linear combinations of the three limb electrodes */
static const struct {
    const char *name;
    double share[LIMBS];
} from_limbs[] = {
    {"I", {-1, 1, 0}},        {"II", {-1, 0, 1}},       {"III", {0, -1, 1}},
    {"aVR", {1, -0.5, -0.5}}, {"aVL", {-0.5, 1, -0.5}}, {"aVF", {-0.5, -0.5, 1}},
};
enum { FROM_LIMBS = sizeof from_limbs / sizeof *from_limbs };

static int find_electrode(const struct config_ecg *config, const char *name)
{
    for (int e = 0; e < config->electrodes; e++)
        if (strcmp(config->name[e], name) == 0)
            return e;
    return -1;
}

static bool is_chest(const char *name)
{
    return name[0] == 'V' && name[1] >= '1' && name[1] <= '6' && !name[2];
}

static double *add_lead(struct ecg *ecg, const char *name)
{
    snprintf(ecg->name[ecg->columns], sizeof *ecg->name, "%s", name);
    return ecg->share + (int64_t)ecg->columns++ * ecg->electrodes;
}

/* ecg->name[] and share[] <- the standard leads, if all limb electrodes are given, and the other electrodes */
static void list_leads(struct ecg *ecg, const struct config_ecg *config)
{
    int limb[LIMBS];
    bool standard = true;
    for (int k = 0; k < LIMBS; k++) {
        limb[k] = find_electrode(config, limbs[k]);
        standard = standard && limb[k] >= 0;
    }
    for (int l = 0; l < FROM_LIMBS && standard; l++) {
        double *share = add_lead(ecg, from_limbs[l].name);
        for (int k = 0; k < LIMBS; k++)
            share[limb[k]] = from_limbs[l].share[k];
    }
    for (int e = 0; e < config->electrodes; e++) {
        if (standard && (e == limb[RA] || e == limb[LA] || e == limb[LL]))
            continue;
        double *share = add_lead(ecg, config->name[e]);
        share[e] = 1;
        for (int k = 0; k < LIMBS && standard && is_chest(config->name[e]); k++)
            share[limb[k]] = -1.0 / LIMBS;
    }
}

/* region[] <- the problem's regions with sigma_i in S/m in place of D. Returns whether every region gives sigma_i. */
static bool make_regions(struct region *region, const struct config *config, const struct problem *problem)
{
    bool all = true;
    for (int r = 0; r < config->tissue.regions; r++) {
        bool intra = false;
        const struct velocity_goal *goal = &problem->goal[r];
        const struct config_tissue *tissue = &config->tissue;
        region[r] = problem->region[r];
        region[r].membrane = 0;
        if (region[r].resistor) { /* in S/m mm */
            region[r].conductance *= tissue->surface_to_volume * tissue->capacitance;
            continue;
        }
        if (goal->given) /* the fine-mesh value: a correction for coarse edges is not tissue conductivity */
            for (int k = 0; k < 3; k++)
                region[r].diffusion[k] = goal->fine[k] *
                                         config_surface_to_volume(tissue, &tissue->region[r]) *
                                         tissue->capacitance;
        else
            region[r].isotropic =
                config_intracellular(region[r].diffusion, &intra, config->tissue.region + r);
        all = all && intra;
    }
    return all;
}

static void log_leads(const struct ecg *ecg, const struct config_ecg *config,
                      const struct electrode *electrode, struct progress *progress)
{
    enum { NAMED = 20 };
    char names[NAMED * (sizeof *ecg->name + 2) + 30] = "";
    for (int c = 0; c < ecg->columns && c < NAMED; c++)
        printed_item(names, sizeof names, "%s", ecg->name[c]);
    if (ecg->columns > NAMED)
        printed_add(names, sizeof names, " and %d more", ecg->columns - NAMED);
    char around[60] = "by lead fields";
    if (config->torso)
        snprintf(around, sizeof around, "in the conductor, against its mean potential");
    else if (!config->fields)
        snprintf(around, sizeof around, "conductivity around the tissue %g S/m", config->conductivity);
    progress_print(progress, "ecg: %s every %.10g ms; %s%s", names, config->every, around,
                   ecg->relative ? "; amplitudes are relative" : "");
    for (int e = 0; electrode && e < config->positions; e++)
        if (electrode[e].distance < electrode[e].least)
            progress_print(progress,
                           "ecg: electrode %s is in the tissue, %.3g mm from a node; distances below %.3g mm "
                           "are rounded up to it",
                           config->electrode[e].name, electrode[e].distance, electrode[e].least);
}

/* field[electrodes][nodes] <- the lead fields in the file */
static enum status read_fields(double *field, const struct config_ecg *config, int64_t nodes,
                               struct inputs *inputs, struct error *error)
{
    struct columns columns;
    double row[COLUMNS_MOST];
    enum status status;
    TRY_DONE(columns_open(&columns, config->fields, inputs, error));
    if (columns.count != config->electrodes)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: it has changed", config->fields));
    for (int64_t i = 0; i < nodes; i++) {
        TRY_DONE(columns_row(&columns, nodes, row, error));
        for (int e = 0; e < config->electrodes; e++)
            field[e * nodes + i] = row[e];
    }
    status = columns_end(&columns, nodes, error);
done:
    columns_close(&columns);
    return status;
}

void ecg_fields_free(struct ecg_fields *fields)
{
    free(fields->weight);
    free(fields->electrode);
    *fields = (struct ecg_fields){0};
}

/* Computes or reads fields->weight and electrode. cached: digest of the tensors and the conductivity; NULL = do not
 * use the cache */
static enum status make_fields(struct ecg_fields *fields, const struct config *config,
                               const struct problem *problem, const struct tensors *tensors,
                               const char *cached, struct error *error)
{
    const struct config_ecg *ecg = &config->ecg;
    int64_t nodes = problem->mesh.nodes;
    int count = ecg->electrodes;
    enum status status = STATUS_OK;
    fields->weight = array_new(nodes * count, sizeof *fields->weight, "the leads", &status, error);
    fields->electrode = array_zeroed(count, sizeof *fields->electrode, "the electrodes", &status, error);
    TRY(status);
    for (int e = 0; e < ecg->positions; e++)
        memcpy(fields->electrode[e].point, ecg->electrode[e].point, sizeof fields->electrode->point);
    if (!ecg->fields && !problem->torso) {
        if (cached && electrode_cache_read(fields->electrode, count, fields->weight, nodes, cached))
            return STATUS_OK;
        TRY(electrodes_weights(fields->electrode, count, fields->weight, tensors, ecg->conductivity, error));
        if (cached)
            electrode_cache_store(fields->electrode, count, fields->weight, nodes, cached);
        return STATUS_OK;
    }
    if (ecg->fields)
        TRY(read_fields(fields->weight, ecg, nodes, config->inputs, error));
    else
        TRY(torso_fields(fields->weight, problem, config, error));
    return electrodes_field_weights(fields->weight, count, tensors, error);
}

/* hex <- the digest of everything that electrodes_weights() depends on, except the positions */
static void digest_tensors(char hex[SHA256_HEX], const char *matrix, const struct config *config,
                           const struct region *region)
{
    struct sha256 sha;
    sha256_start(&sha);
    sha256_add(&sha, matrix, SHA256_HEX);
    for (int r = 0; r < config->tissue.regions; r++) {
        sha256_add(&sha, region[r].diffusion, sizeof region[r].diffusion);
        sha256_add(&sha, &region[r].isotropic, sizeof region[r].isotropic);
        sha256_add(&sha, &region[r].conductance, sizeof region[r].conductance);
    }
    sha256_add(&sha, &config->ecg.conductivity, sizeof config->ecg.conductivity);
    sha256_end(&sha, hex);
}

/* hex <- the digest of everything that the weights depend on, positions included */
static void digest_fields(char hex[SHA256_HEX], const char tensors[SHA256_HEX], const struct config_ecg *ecg)
{
    struct sha256 sha;
    sha256_start(&sha);
    sha256_add(&sha, tensors, SHA256_HEX);
    for (int e = 0; e < ecg->positions; e++)
        sha256_add(&sha, ecg->electrode[e].point, sizeof ecg->electrode[e].point);
    sha256_end(&sha, hex);
}

/* Creates ecg->leads. in_cache: electrodes of this matrix may be in the cache */
static enum status make_leads(struct ecg *ecg, const struct config *config, const struct problem *problem,
                              struct monodomain *sim, struct ecg_fields *fields, const char *matrix,
                              bool in_cache, bool *absolute, struct error *error)
{
    enum status status = STATUS_OK;
    char digest[SHA256_HEX], made_from[SHA256_HEX] = "";
    if (problem->mesh.number) /* only rank 0 has all elements and forms the sums */
        return leads_create(&ecg->leads, sim, NULL, ecg->electrodes, error);
    struct region *region = array_new(config->tissue.regions, sizeof *region, "the regions", &status, error);
    const struct tensors tensors = {&problem->mesh, region, problem->element_region, problem->params.fiber};
    if (status)
        goto done;
    *absolute = make_regions(region, config, problem) && problem->mesh.dimension == 3;
    if (matrix) {
        digest_tensors(digest, matrix, config, region);
        digest_fields(made_from, digest, &config->ecg);
    }
    if (!made_from[0] || memcmp(made_from, fields->made_from, sizeof made_from) != 0) {
        ecg_fields_free(fields);
        TRY_DONE(make_fields(fields, config, problem, &tensors, matrix && in_cache ? digest : NULL, error));
        memcpy(fields->made_from, made_from, sizeof made_from);
    }
    status = leads_create(&ecg->leads, sim, fields->weight, ecg->electrodes, error);
done:
    free(region);
    return status;
}

enum status ecg_list(struct ecg *ecg, const struct config *config, struct error *error)
{
    const int64_t electrodes = config->ecg.electrodes, most = electrodes + FROM_LIMBS;
    enum status status = STATUS_OK;
    *ecg = (struct ecg){.electrodes = config->ecg.electrodes};
    if (electrodes == 0)
        return STATUS_OK;
    ecg->name = array_zeroed(most, sizeof *ecg->name, "the leads", &status, error);
    ecg->share = array_zeroed(most * electrodes, sizeof *ecg->share, "the leads", &status, error);
    ecg->potential = array_zeroed(electrodes, sizeof *ecg->potential, "the leads", &status, error);
    if (!status)
        list_leads(ecg, &config->ecg);
    return status;
}

enum status ecg_create(struct ecg *ecg, const struct config *config, const struct problem *problem,
                       struct monodomain *sim, struct ecg_fields *kept, const char *matrix,
                       struct progress *progress, struct error *error)
{
    const struct config_ecg *from = &config->ecg;
    bool absolute = false;
    enum status status = STATUS_OK;
    const bool in_cache = !kept && problem->mesh.elements >= ELECTRODE_CACHE_LEAST;
    if (from->fields || problem->torso) {
        kept = NULL;
        matrix = NULL;
    }
    struct ecg_fields own = {0}, *fields = kept ? kept : &own;
    TRY(ecg_list(ecg, config, error));
    if (from->electrodes == 0)
        return STATUS_OK;
    TRY_DONE(make_leads(ecg, config, problem, sim, fields, matrix, in_cache, &absolute, error));
    ecg->relative = !absolute;
    log_leads(ecg, from, fields->electrode, progress);
done:
    ecg_fields_free(&own);
    return status;
}

void ecg_free(struct ecg *ecg)
{
    leads_free(ecg->leads);
    free(ecg->name);
    free(ecg->share);
    free(ecg->potential);
    *ecg = (struct ecg){0};
}

enum status ecg_read(struct ecg *ecg, double *value, struct error *error)
{
    enum status status = leads_read(ecg->leads, ecg->potential, error);
    for (int c = 0; c < ecg->columns && !status; c++) {
        value[c] = 0;
        for (int e = 0; e < ecg->electrodes; e++)
            value[c] += ecg->share[(int64_t)c * ecg->electrodes + e] * ecg->potential[e];
    }
    return status;
}

enum status ecg_weights(const struct ecg *ecg, double *weight, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    double *of = array_new(ecg->electrodes * nodes, sizeof *of, "the weights of the leads", &status, error);
    if (!status)
        status = leads_weights(ecg->leads, of, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        for (int c = 0; c < ecg->columns; c++) {
            double *to = &weight[i * ecg->columns + c];
            *to = 0;
            for (int e = 0; e < ecg->electrodes; e++)
                *to += ecg->share[(int64_t)c * ecg->electrodes + e] * of[e * nodes + i];
        }
    free(of);
    return status;
}

double ecg_set_up_bytes(const struct problem *problem, int electrodes)
{
    return electrodes == 0
               ? 0
               : 8 * (double)problem->mesh.nodes * (electrodes + 1) + system_bytes(&problem->mesh, 0) +
                     system_workspace(&problem->mesh) + torso_set_up_bytes(problem);
}
