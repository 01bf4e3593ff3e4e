/* replay.c DIRECTORY: hands every file of a corpus to the fuzzing target that it is linked with, without a
 * fuzzer: a finding once mended stays mended, and the corpus gives the readers' coverage. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return 0;
    size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size + 1);
    rewind(file);
    int good = data && fread(data, 1, size, file) == size;
    fclose(file);
    if (good)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    return good;
}

int main(int argc, char **argv)
{
    char path[4096];
    int count = 0;
    DIR *directory = argc > 1 ? opendir(argv[1]) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (!replay(path)) {
            fprintf(stderr, "%s: cannot be read\n", path);
            return 1;
        }
        count++;
    }
    if (directory)
        closedir(directory);
    printf("%d inputs replayed\n", count);
    return count == 0;
}
