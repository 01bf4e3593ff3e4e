/* fuzz_config.c: arbitrary bytes as a config: read, resolved, printed, and read again; no mesh is made.
 *
 * The input is the text, then perhaps NUL-separated "key=value" overrides. A text that is taken must print as
 * a config that is taken and prints the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"

enum { SETS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

static void check_round_trip(const struct config *config)
{
    struct config again;
    struct error error;
    char *first = config_printed(config);
    if (strlen(first) < (1 << 20)) { /* aliases may have made it longer than what is read */
        enum status status = config_parse(&again, "again.yaml", "", first, strlen(first), NULL, 0, &error);
        demand(status == STATUS_OK);
        char *second = config_printed(&again);
        demand(strcmp(first, second) == 0);
        free(second);
        config_free(&again);
    }
    free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    size_t length = strlen(text);
    const char *sets[SETS];
    int count = 0;
    for (size_t at = length + 1; at < size && count < SETS; at += strlen(text + at) + 1)
        sets[count++] = text + at;
    struct config config;
    struct error error = {0};
    enum status status = config_parse(&config, "fuzz.yaml", "", text, length, sets, count, &error);
    demand(status == STATUS_OK || (status == STATUS_INPUT && error.status == status && error.text[0]));
    if (!status)
        check_round_trip(&config);
    config_free(&config);
    free(text);
    return 0;
}
