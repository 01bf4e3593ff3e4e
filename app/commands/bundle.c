/* bundle.c: `cardiac bundle`: pack a finished run into a folder that others can run again. */
#include <stdio.h>

#include "app/run/bundle.h"
#include "app/util/command.h"
#include "app/util/options.h"

enum status command_bundle(int argc, char **argv, struct error *error)
{
    bool help;
    const struct option options[] = {{0}};
    const struct usage usage = {
        "bundle DIR BUNDLE",
        "Makes a folder BUNDLE of the run whose results lie in DIR: its config with all defaults, the mesh "
        "and all "
        "other\nfiles that this names, program, build and machine, digests of the results, and the reports "
        "in DIR "
        "(converge.txt,\nverify.txt). `cardiac run BUNDLE` repeats the run and compares the bits.",
        options, 2, 2};
    TRY(options_read(&usage, argc, argv, NULL, &help, error));
    if (help)
        return STATUS_OK;
    TRY(bundle_write(argv[1], argv[2], error));
    printf("%s: repeat it by `cardiac run %s`\n", argv[2], argv[2]);
    return STATUS_OK;
}
