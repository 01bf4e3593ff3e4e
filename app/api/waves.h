/* waves.h: the waves of a simulation, and fields made of them, for the files of this folder alone. */
#ifndef CARDIAC_APP_API_WAVES_H
#define CARDIAC_APP_API_WAVES_H

#include "app/api/handle.h"

/* The forest <- with all activations up to now; from the first look on it grows, and what is recorded needs
 * room only for those between two looks. Errors: STATUS_INPUT with max-slope, STATUS_RUN. */
enum status waves_look(struct cardiac *sim, struct error *error);
/* Around a change of the trains: the waves' pulses are those of the config in between. Errors: STATUS_RUN. */
void waves_leave_drive(struct cardiac *sim);
enum status waves_follow_drive(struct cardiac *sim, struct error *error);

/* With a copy of the tissue: its waves, if they grow; whether a simulation has their pulses; and back.
 * Errors: STATUS_RUN. */
enum status waves_keep(struct cardiac_state *state, const struct cardiac *sim, struct error *error);
bool waves_fit(const struct cardiac_state *state, const struct cardiac *sim);
enum status waves_restore(struct cardiac *sim, const struct cardiac_state *state, struct error *error);

/* Fields of nodes by name: "wave/S1/3" and "velocity/S1/3" of a pulse, "stimulus/S1", and two of the latest
 * activations */
enum waves_kind { WAVES_TIME, WAVES_VELOCITY, WAVES_STIMULUS, WAVES_LAST, WAVES_CYCLE };
struct waves_field {
    enum waves_kind kind;
    int32_t train; /* of the problem */
    int64_t pulse;
};
bool waves_find_field(struct waves_field *field, const struct cardiac *sim, const char *name);
/* value[nodes] <- the field. Errors: as of waves_look. */
enum status waves_read_field(double *value, struct cardiac *sim, const struct waves_field *field,
                             struct error *error);

#endif
