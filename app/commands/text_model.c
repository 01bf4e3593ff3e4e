/* text_model.c: finds models by name or file, and reads --model. */
#include "app/commands/text_model.h"

#include <string.h>

#include "app/config/model.h"
#include "app/config/units.h"
#include "kernels/base/suggest.h"

/* *scale or *variant <- from an option such as "voltage.rest=-85 mV"; texts are stored by reference */
static enum status read_option(struct mmt_scale *scale, const char **variant, const char *option,
                               struct error *error)
{
    const struct {
        const char *name;
        const char **text;
        double *value;
        enum quantity quantity;
    } keys[] = {{"variant", variant, NULL, QUANTITY_NUMBER},
                {"voltage.name", &scale->voltage, NULL, QUANTITY_NUMBER},
                {"voltage.rest", NULL, &scale->rest, QUANTITY_VOLTAGE},
                {"voltage.amplitude", NULL, &scale->amplitude, QUANTITY_VOLTAGE},
                {"time_unit", NULL, &scale->time_unit, QUANTITY_TIME}};
    const char *equals = strchr(option, '=');
    char key[40] = "";
    struct error reason = {0};
    if (equals && (size_t)(equals - option) < sizeof key)
        memcpy(key, option, (size_t)(equals - option));
    struct suggestion suggestion = suggest_for(key);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (!suggest_try(&suggestion, keys[k].name))
            continue;
        if (keys[k].text)
            *keys[k].text = equals + 1;
        else if (units_read(keys[k].value, equals + 1, keys[k].quantity, &reason))
            return error_set(error, STATUS_INPUT, "--model %s: %s", key, reason.text);
        return STATUS_OK;
    }
    return error_set(error, STATUS_INPUT,
                     "--model: '%.60s' is not KEY=VALUE with variant, voltage.name, voltage.rest, "
                     "voltage.amplitude or time_unit%s",
                     option, suggest_hint(&suggestion));
}

enum status text_model_find(const struct ionic_model **model, struct user_model **list, const char *name,
                            const struct option_list *options, struct error *error)
{
    struct mmt_scale scale = {0};
    const char *variant = NULL;
    struct user_model *user;
    if (!user_model_is_file(name)) {
        enum status status = model_find(model, list, name, error);
        if (!status && options->count)
            return error_set(error, STATUS_INPUT, "--model is for a text, such as my.mmt, not for %s", name);
        return status;
    }
    for (int k = 0; k < options->count; k++)
        TRY(read_option(&scale, &variant, options->item[k], error));
    TRY(user_model_read(list, &user, name, variant, &scale, NULL, error));
    for (int k = 0; k < user->cell.warnings; k++)
        fprintf(stderr, "cardiac: warning: %s:%d:%d: %s\n", name, user->cell.warning[k].line,
                user->cell.warning[k].column, user->cell.warning[k].text);
    *model = &user->model;
    return STATUS_OK;
}
