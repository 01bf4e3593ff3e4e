/* test_renamed_key.c: a key under its former name is read with a warning, in a list's items too, and refused
 * beside its present one; a config of another version is refused by that, whatever its keys. */
#include "app/config/config.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/keys.h"
#include "tests/support/check.h"

static const char path[] = "test_renamed_key.yaml";

/* The linker puts __wrap_config_keys in the place of config_keys, which has the name __real_ then. */
const struct key *__real_config_keys(int *count);
const struct key *__wrap_config_keys(int *count);

/* The table with two keys that had other names */
const struct key *__wrap_config_keys(int *count)
{
    static struct key *table;
    const struct key *real = __real_config_keys(count);
    if (table)
        return table;
    table = malloc((size_t)*count * sizeof *table);
    CHECK(table, "memory");
    memcpy(table, real, (size_t)*count * sizeof *table);
    for (int k = 0; k < *count; k++) {
        CHECK(!real[k].was ||
                  (strlen(real[k].was) > 0 && strchr(real[k].was, ']') == strrchr(real[k].was, ']')),
              "%s", real[k].was);
        if (strcmp(table[k].path, "time.end") == 0)
            table[k].was = "time.stop";
        if (strcmp(table[k].path, "stimuli[].duration") == 0)
            table[k].was = "stimuli[].length";
    }
    return table;
}

static enum status read_config(struct config *config, int version, const char *end, const char *duration,
                               struct error *error)
{
    FILE *file = fopen(path, "w");
    CHECK(file, "%s", path);
    fprintf(file,
            "version: %d\n"
            "mesh: {cable: {length: 10 mm, spacing: 0.5 mm}}\n"
            "tissue:\n"
            "  surface_to_volume: 1400 /cm\n"
            "  regions:\n"
            "    - {tags: all, model: tp06-epi, conductivity: 0.1 S/m}\n"
            "stimuli:\n"
            "  - {tags: all, duration: 1 ms, current: 50 uA/uF}\n"
            "  - {tags: all, %s, current: 50 uA/uF}\n"
            "time: {%s, step: 0.02 ms}\n"
            "output: {directory: nowhere}\n",
            version, duration, end);
    CHECK(fclose(file) == 0, "%s", path);
    return config_read(config, path, NULL, 0, error);
}

int main(void)
{
    struct error error = {0};
    struct config config;
    CHECK_OK(read_config(&config, 1, "end: 7 ms", "duration: 2 ms", &error), error);
    CHECK(config.warnings == 0, "%s", config.warning[0]);
    config_free(&config);
    CHECK_OK(read_config(&config, 1, "stop: 7 ms", "length: 2 ms", &error), error);
    CHECK(config.end == 7 && config.stimulus[1].duration == 2, "%g, %g", config.end,
          config.stimulus[1].duration);
    CHECK(config.warnings == 2, "%d warnings", config.warnings);
    CHECK(strstr(config.warning[1], ":10:") && strstr(config.warning[1], "time.end: is the new name of stop"),
          "%s", config.warning[1]);
    CHECK(strstr(config.warning[0], "stimuli[1].duration: is the new name of length"), "%s",
          config.warning[0]);
    config_free(&config);
    CHECK(read_config(&config, 1, "end: 7 ms, stop: 8 ms", "duration: 2 ms", &error) == STATUS_INPUT,
          "both names");
    CHECK(strstr(error.text, ":10:") &&
              strstr(error.text, "time.stop: is given twice: its present name is end"),
          "%s", error.text);
    config_free(&config);
    CHECK(read_config(&config, 3, "until: 7 ms", "span: 2 ms", &error) == STATUS_INPUT, "version 3");
    CHECK(strstr(error.text, ":1:") && strstr(error.text, "only version 1 is supported, not 3"), "%s",
          error.text);
    config_free(&config);
    remove(path);
    printf("test_renamed_key: passed\n");
    return 0;
}
