/* test_description.c: the names and values of a text and of its variants. */
#include "kernels/compiler/emit/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

int main(void)
{
    static const char *const states[] = {"fast.m", "fast.h"}, *const quantities[] = {"Iion",
                                                                                     "membrane.Iion",
                                                                                     "fast.m.limit",
                                                                                     "slow.p.limit",
                                                                                     "other.V",
                                                                                     "low.p.limit"},
                             *const shorter[] = {"m",
                                                 "h",
                                                 "g_Na",
                                                 "Iion",
                                                 "membrane.Iion",
                                                 "m.limit",
                                                 "slow.p.limit",
                                                 "other.V",
                                                 "low.p.limit"};
    struct cell_state state[] = {{.name = states[0], .initial = 0.5}, {.name = states[1], .initial = 0.25}};
    struct cell_parameter parameter = {.name = "ina.g_Na", .value = 2};
    struct cell_quantity quantity[6] = {{.name = ""}};
    for (int k = 0; k < 6; k++)
        quantity[k].name = quantities[k];
    const struct cell cell = {.name = "text",
                              .title = "a cell",
                              .v_initial = -80,
                              .states = 2,
                              .state = state,
                              .parameters = 1,
                              .parameter = &parameter,
                              .quantities = 6,
                              .quantity = quantity};
    double values[] = {1, 0.25}, conductance = 3e-4;
    const struct cell_variant variant = {.name = "text-endo",
                                         .title = "",
                                         .step_accurate = 0.05,
                                         .step_largest = 0.2,
                                         .capacitance = 2,
                                         .short_names = true,
                                         .v_initial = -86.5,
                                         .state = values,
                                         .parameter = &conductance};
    bool fp64[2] = {true, false};
    const struct compiled compiled = {.fp64 = fp64, .order = 2};
    struct ionic_model model = {0};
    struct ionic_value *value;
    struct error error = {0};
    CHECK_OK(compiler_describe(&model, &value, &cell, NULL, &compiled, &error), error);
    CHECK(strcmp(model.state[1].name, "fast.h") == 0 && model.parameter->value == 2 &&
              model.v_initial == -80 && model.state->fp64 && model.order == 2 && model.step_largest == 0,
          "the text");
    free(value);
    CHECK_OK(compiler_describe(&model, &value, &cell, &variant, &compiled, &error), error);
    for (int k = 0; k < 9; k++)
        CHECK(strcmp(value[k].name, shorter[k]) == 0, "'%s' is not '%s'", value[k].name, shorter[k]);
    CHECK(strcmp(model.title, "a cell") == 0 && model.v_initial == -86.5 && model.state[0].value == 1 &&
              model.state[1].value == 0.25 && model.parameter->value == 3e-4,
          "the variant's values");
    CHECK(model.step_accurate == 0.05 && model.step_largest == 0.2 && model.capacitance == 2,
          "its properties");
    free(value);
    return 0;
}
