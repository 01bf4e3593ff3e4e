/* params.c: what follows from parameters; and the defaults, which the key table in app/config/keys.c takes.
 */
#include "solver/params.h"

#include <math.h>

bool params_explicit(const struct monodomain_params *params)
{
    return params->method == METHOD_EXPLICIT || params->method == METHOD_RKL2;
}

bool params_budget_raised(const struct monodomain_params *params)
{
    return params->precision == PRECISION_MIXED &&
           params->precision_budget > monodomain_params_default().precision_budget;
}

bool params_beats(const struct monodomain_params *params)
{
    const struct params_maps *maps = &params->maps;
    return maps->rest || maps->peak || maps->slope || maps->levels > 0;
}

double params_rearm(double threshold, double rest)
{
    return fmin(threshold, (threshold + rest) / 2);
}

struct monodomain_params monodomain_params_default(void)
{
    return (struct monodomain_params){.theta = 1,
                                      .mass_lumping = 1,
                                      .method = METHOD_AUTO,
                                      .max_sweeps = 200,
                                      .tolerance = 1e-4,
                                      .precision = PRECISION_MIXED,
                                      .precision_budget = 1e-5,
                                      .ionic_substeps = 1,
                                      .activation_beats = 1,
                                      .voltage_limit = 1000};
}
