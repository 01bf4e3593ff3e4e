/* test_config_corpus.c: replays the fuzzer's corpus of configs, which holds what it once found; each text
 * also cut in half and with one byte changed. */
#include "tests/support/check.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : CORPUS;
    DIR *directory = opendir(folder);
    CHECK(directory, "no folder %s", folder);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        static uint8_t data[1 << 20];
        char path[1000];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        CHECK(file, "%s", path);
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        LLVMFuzzerTestOneInput(data, size / 2);
        data[size / 3] ^= 0x15;
        LLVMFuzzerTestOneInput(data, size);
        files++;
    }
    closedir(directory);
    CHECK(files >= 20, "%d files in %s", files, folder);
    return 0;
}
