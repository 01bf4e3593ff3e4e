/* other_text.c: other_text CHECKPOINT FOLDER [bounds]: the checkpoint, written anew into FOLDER as by a
 * program with other texts of models, or with other bounds on the matrix: only the head differs. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/checkpoint_sample.h"

int main(int arguments, char **argument)
{
    struct error error = {0};
    struct checkpoint *from, *to;
    CHECK(arguments == 3 || arguments == 4, "other_text CHECKPOINT FOLDER [bounds]");
    CHECK_OK(checkpoint_open(&from, argument[1], &error), error);
    struct checkpoint_head head = *checkpoint_head(from);
    CHECK(strlen(head.models_sha256) == SHA256_HEX - 1, "it has no digest of a text");
    if (arguments == 4)
        strcpy(head.bounds, "0 clusters, jacobi, factor 2");
    else
        head.models_sha256[0] = head.models_sha256[0] == '0' ? '1' : '0';
    CHECK_OK(checkpoint_create(&to, argument[2], &head, &error), error);
    for (int k = 0; k < checkpoint_arrays(from); k++) {
        const struct checkpoint_array *array = checkpoint_array(from, k);
        void *value = malloc((size_t)array->count * 8 + 1);
        CHECK(value, "no memory");
        CHECK_OK(checkpoint_get(from, k, value, &error), error);
        checkpoint_sample_put(to, k, array->name, array->type, array->count, value);
        free(value);
    }
    CHECK_OK(checkpoint_commit(to, 99, &error), error);
    checkpoint_close(to);
    checkpoint_close(from);
    return 0;
}
