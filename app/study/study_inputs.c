/* study_inputs.c: table.inputs, next to a table: the files on which its rows depend, in the format of sha256sum, so that
 * a refusal can name the file that has changed. */
#include "app/study/study.h"

#include <stdlib.h>
#include <string.h>

#include "app/util/own_file.h"
#include "app/util/path.h"
#include "kernels/base/printed.h"

static const char mark[] = "# cardiac: ";
static const char head[] =
    "# cardiac: sha256sum --check compares these files, in the folder of the study's config\n";

/* The path relative to the config's folder, so that copying the folder does not change the list */
static const char *in_folder(const struct study *study, const char *path)
{
    const char *config = study->request.config;
    const size_t folder = (size_t)(path_base_name(config) - config);
    return strncmp(path, config, folder) == 0 ? path + folder : path;
}

enum status study_inputs_claim(const struct study *study, struct error *error)
{
    char *path = NULL;
    TRY(study_path(&path, study, "table", "inputs", error));
    enum status status = own_file_claim(path, mark, study_table_elsewhere, error);
    free(path);
    return status;
}

enum status study_inputs_write(const struct study *study, struct error *error)
{
    const struct inputs *inputs = study->base.inputs;
    char *path = NULL;
    struct printed lines;
    TRY(printed_open(&lines, error));
    fputs(head, lines.file);
    for (int64_t k = 0; inputs && k < inputs->count; k++)
        fprintf(lines.file, "%s  %s\n", inputs->input[k].sha256, in_folder(study, inputs->input[k].path));
    TRY(printed_close(&lines, error));
    enum status status = study_path(&path, study, "table", "inputs", error);
    if (!status)
        status = own_file_write(path, mark, lines.text, strlen(lines.text), error);
    free(path);
    free(lines.text);
    return status;
}

/* The list as written earlier; NULL = none */
static struct inputs *read_list(const struct study *study)
{
    struct error unread;
    struct inputs *then = NULL;
    char *path = NULL, *text = NULL;
    size_t length;
    if (!study_path(&path, study, "table", "inputs", &unread) &&
        !input_text(&text, &length, path, 1 << 24, "no list of files", NULL, &unread))
        then = inputs_stored(text + strcspn(text, "\n"));
    free(path);
    free(text);
    return then;
}

void study_inputs_reason(char *reason, size_t room, const struct study *study)
{
    char names[400] = "";
    struct inputs *then = read_list(study);
    const struct inputs *now = study->base.inputs;
    for (int64_t k = 0; then && now && k < now->count; k++) {
        char hex[SHA256_HEX];
        struct error unlisted;
        if (!inputs_digest(then, in_folder(study, now->input[k].path), hex, &unlisted) &&
            strcmp(hex, now->input[k].sha256) != 0)
            printed_item(names, sizeof names, "%.200s", now->input[k].path);
    }
    snprintf(reason, room, "%s%s",
             names[0] ? "since then these files have changed: "
             : then   ? "its config or table has changed"
                      : "its config, table or files have changed",
             names);
    inputs_free(then);
}
