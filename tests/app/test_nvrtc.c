/* test_nvrtc.c: the unit of a model's text is machine code to NVRTC, stepped in every way, where NVRTC is:
 * no GPU is needed for that. */
#include <string.h>

#include "app/models/nvrtc.h"
#include "app/models/user_model.h"
#include "tests/support/check.h"

/* Whether the bytes hold the text */
static bool holds(const char *image, size_t bytes, const char *text)
{
    for (size_t k = 0; k + strlen(text) <= bytes; k++)
        if (memcmp(image + k, text, strlen(text)) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    struct error error = {0};
    struct nvrtc nvrtc;
    struct user_model *list = NULL, *user;
    const struct mmt_scale scale = {0};
    if (nvrtc_open(&nvrtc, &error)) {
        puts(error.text);
        return 77;
    }
    /* by another name than the model that is built in */
    FILE *from = fopen(CARDIAC_SOURCE "/kernels/models/luo_rudy_1991.mmt", "r"),
         *to = fopen("test_nvrtc.mmt", "w");
    CHECK(from && to, "no text");
    for (int c; (c = getc(from)) != EOF;)
        putc(c, to);
    fclose(from);
    fclose(to);
    CHECK_OK(user_model_read(&list, &user, "test_nvrtc.mmt", NULL, &scale, NULL, &error), error);
    for (int k = full ? 0 : 3; k < 8; k += full ? 1 : 3) { /* mixed with tables, and staggered */
        const struct source_way way = {.mixed = k % 2, .tables = k / 2 % 2, .staggered = k / 4};
        char *image, name[64];
        size_t bytes = 0;
        if (way.tables && !user->model.columns)
            continue;
        char *source = source_make(&user->source, way, true);
        CHECK(source, "no memory");
        CHECK_OK(nvrtc_compile(&nvrtc, source, 90, &image, &bytes, &error), error);
        snprintf(name, sizeof name, "loaded_%s_cells_%s", source_how(way), way.mixed ? "float" : "double");
        CHECK(bytes > 4 && memcmp(image, "\177ELF", 4) == 0 && holds(image, bytes, name), "no %s", name);
        free(image);
        free(source);
    }
    char *image;
    size_t bytes;
    CHECK(nvrtc_compile(&nvrtc, "no C++", 90, &image, &bytes, &error) == STATUS_RUN && !image &&
              strstr(error.text, "error"),
          "compiled: %s", error.text);
    user_model_free(list);
    nvrtc_close(&nvrtc);
    return 0;
}
