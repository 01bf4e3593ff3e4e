/* electrodes.c: check the keys of an ECG. */
#include <math.h>
#include <string.h>

#include "app/config/resolve.h"
#include "app/util/csv.h"
#include "kernels/base/suggest.h"

/* ecg->name[] <- the electrodes' names, from the config or from the columns of a lead-field file */
static enum status name_electrodes(struct reader *reader)
{
    struct config_ecg *ecg = &reader->config->ecg;
    struct columns columns = {0};
    struct error found = {0};
    enum status status = STATUS_OK;
    if (ecg->fields && ecg->positions)
        return reader_error_at(reader, "ecg.lead_fields", "cannot be combined with ecg.electrodes");
    if (ecg->fields && columns_open(&columns, ecg->fields, reader->config->inputs, &found))
        status = found.status == STATUS_INPUT ? reader_error_at(reader, "ecg.lead_fields", "%s", found.text)
                                              : error_set(reader->error, found.status, "%s", found.text);
    ecg->electrodes = ecg->fields ? columns.count : ecg->positions;
    ecg->name = arena_allocate(&reader->config->memory, (size_t)ecg->electrodes + 1, sizeof *ecg->name);
    if (!ecg->name)
        status = error_memory(reader->error, "the electrodes", 8);
    for (int e = 0; e < ecg->electrodes && !status; e++) {
        ecg->name[e] = ecg->fields ? arena_print(&reader->config->memory, "%s", columns.name[e])
                                   : ecg->electrode[e].name;
        if (!ecg->name[e])
            status = error_memory(reader->error, "the electrodes", 8);
    }
    columns_close(&columns);
    return status;
}

/* Bounds positions like those of nodes, so that squared distances do not overflow. */
static enum status check_positions(struct reader *reader)
{
    static const double far = 1e9; /* mm */
    const struct config_ecg *ecg = &reader->config->ecg;
    for (int e = 0; e < ecg->positions; e++)
        for (int d = 0; d < 3; d++)
            if (!(fabs(ecg->electrode[e].point[d]) <= far))
                return reader_error_at(reader, "ecg.electrodes", "%s is at %g mm; at most %g mm",
                                       ecg->electrode[e].name, ecg->electrode[e].point[d], far);
    for (int e = 0; e < ecg->positions; e++)
        for (int other = 0; other < e; other++)
            if (memcmp(ecg->electrode[e].point, ecg->electrode[other].point,
                       sizeof ecg->electrode[e].point) == 0)
                return reader_doubt(reader, "ecg.electrodes", "%s and %s are at the same place",
                                    ecg->electrode[other].name, ecg->electrode[e].name);
    return STATUS_OK;
}

const char *config_standard_electrode(const char *name)
{
    static const char *const usual[][2] = {
        {"RA", "RA"}, {"R", "RA"},  {"LA", "LA"}, {"L", "LA"},  {"LL", "LL"}, {"F", "LL"},  {"LF", "LL"},
        {"V1", "V1"}, {"V2", "V2"}, {"V3", "V3"}, {"V4", "V4"}, {"V5", "V5"}, {"V6", "V6"}, {"C1", "V1"},
        {"C2", "V2"}, {"C3", "V3"}, {"C4", "V4"}, {"C5", "V5"}, {"C6", "V6"}};
    struct suggestion suggestion = {.word = name};
    suggest_usual(&suggestion, usual, sizeof usual / sizeof *usual);
    return suggestion.best;
}

/* The standard name, or the name itself if it has none */
static const char *standard_electrode(const char *name)
{
    const char *standard = config_standard_electrode(name);
    return standard ? standard : name;
}

/* Whether an electrode has that standard name or a synonym of it */
static bool has_electrode(const struct config_ecg *ecg, const char *standard)
{
    bool has = false;
    for (int e = 0; e < ecg->electrodes; e++)
        has = has || strcmp(standard_electrode(ecg->name[e]), standard) == 0;
    return has;
}

/* Warns about a missing limb electrode, and about synonyms of standard names: these form no standard lead. */
static void warn_names(struct reader *reader, const char *key)
{
    static const char *const limbs[] = {"RA", "LA", "LL"};
    const struct config_ecg *ecg = &reader->config->ecg;
    const char *missing = NULL;
    int found = 0;
    for (int k = 0; k < 3; k++)
        if (has_electrode(ecg, limbs[k]))
            found++;
        else
            missing = limbs[k];
    if (found == 2)
        reader_warning(reader, key, "%s is missing: without it there are no standard leads", missing);
    if (found < 3)
        return;
    for (int e = 0; e < ecg->electrodes; e++) {
        const char *standard = standard_electrode(ecg->name[e]);
        if (strcmp(standard, ecg->name[e]) != 0)
            reader_warning(reader, key, "'%s' makes no standard lead; the electrode's name there is %s",
                           ecg->name[e], standard);
    }
}

enum status resolve_ecg(struct reader *reader)
{
    static const char *const leads[] = {"I", "II", "III", "aVR", "aVL", "aVF"};
    struct config_ecg *ecg = &reader->config->ecg;
    const char *key = ecg->fields ? "ecg.lead_fields" : "ecg.electrodes";
    int faults = reader->faults.count;
    bool torso = reader_given(reader, "ecg.conductor");
    enum status status = name_electrodes(reader);
    if (status || reader->faults.count > faults)
        return status;
    if (torso && ecg->fields)
        return reader_error_at(reader, "ecg.conductor", "cannot be combined with ecg.lead_fields");
    if (torso && !ecg->torso)
        return reader_error_at(reader, "ecg.conductor", "file is missing (a mesh that contains the heart)");
    if (ecg->electrodes == 0) {
        if (!isnan(ecg->conductivity) || !isnan(ecg->every) || torso)
            return reader_warning(reader, "ecg", "has no effect: there are no ecg.electrodes");
        return STATUS_OK;
    }
    for (int e = 0; e < ecg->electrodes; e++)
        for (size_t l = 0; l < sizeof leads / sizeof *leads; l++)
            if (strcmp(ecg->name[e], leads[l]) == 0)
                return reader_error_at(reader, key,
                                       "%s is a lead, computed from the electrodes RA, LA and LL", leads[l]);
    warn_names(reader, key);
    FAULTS_TRY(check_positions(reader));
    if (torso && reader_sound(reader, "tissue"))
        FAULTS_TRY(resolve_conductor(reader));
    if (ecg->fields && !isnan(ecg->conductivity))
        reader_warning(reader, "ecg.conductivity",
                       "has no effect: the lead fields already include the conductivity around the heart");
    else if (torso && !isnan(ecg->conductivity))
        reader_warning(reader, "ecg.conductivity", "has no effect: ecg.conductor has its own");
    else if (!ecg->fields && !torso && isnan(ecg->conductivity))
        ecg->conductivity = 0.2;
    if (isnan(ecg->every))
        ecg->every = resolve_interval(reader->config);
    if (reader_sound(reader, "time"))
        FAULTS_TRY(resolve_on_grid(reader, "ecg.every", ecg->every, &ecg->every_steps));
    return status;
}
