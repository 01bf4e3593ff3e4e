/* test_own_file.c: what stands at a name before a file is written there, of every kind: it is claimed or refused, and
 * never followed, waited for or changed; a write that fails leaves the old file and says why. */
#include "app/util/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"

static const char mark[] = "ours,";

enum kind { NONE, EMPTY, OURS, ZEROS, STRANGER, HARD_LINK, LINK, DANGLING, DIRECTORY, PIPE, KINDS };
static const char *const kind_name[KINDS] = {"none",      "empty", "ours",     "zeros",     "stranger",
                                             "hard link", "link",  "dangling", "directory", "pipe"};

static void put(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(text, 1, size, file) == size && fclose(file) == 0, "%s", path);
}

/* "" where it cannot be read as a regular file */
static void get(char text[64], const char *path)
{
    struct stat is;
    FILE *file = lstat(path, &is) == 0 && S_ISREG(is.st_mode) ? fopen(path, "r") : NULL;
    size_t size = file ? fread(text, 1, 63, file) : 0;
    text[size] = '\0';
    if (file)
        fclose(file);
}

static void check_text(const char *path, const char *want, const char *what)
{
    char text[64];
    get(text, path);
    CHECK(strcmp(text, want) == 0, "%s: %s is '%s', want '%s'", what, path, text, want);
}

/* Puts what the kind says at `path`. The files beside it: victim, of a stranger; target of the dangling link. */
static void set_up(enum kind kind, const char *path)
{
    static const char zeros[8] = "";
    int done = 0;
    rmdir(path);
    unlink(path);
    unlink("target");
    unlink("victim");
    put("victim", "notes", 5);
    if (kind == EMPTY)
        put(path, "", 0);
    else if (kind == OURS)
        put(path, "ours,1\n", 7);
    else if (kind == ZEROS)
        put(path, zeros, sizeof zeros);
    else if (kind == STRANGER)
        put(path, "notes", 5);
    else if (kind == HARD_LINK)
        done = link("victim", path);
    else if (kind == LINK || kind == DANGLING)
        done = symlink(kind == LINK ? "victim" : "target", path);
    else if (kind == DIRECTORY)
        done = mkdir(path, 0777);
    else if (kind == PIPE)
        done = mkfifo(path, 0666);
    CHECK(done == 0, "%s: %s", kind_name[kind], strerror(errno));
}

static mode_t kind_of(const char *path)
{
    struct stat is;
    return lstat(path, &is) ? 0 : is.st_mode & S_IFMT;
}

/* The mark that files of this program's have, no mark, and leave to replace any file */
static void check_claims(void)
{
    static const struct {
        const char *mark;
        bool may[KINDS];
    } cases[] = {{mark, {[NONE] = true, [EMPTY] = true, [OURS] = true, [ZEROS] = true}},
                 {NULL, {[NONE] = true, [EMPTY] = true}},
                 {"",
                  {[NONE] = true,
                   [EMPTY] = true,
                   [OURS] = true,
                   [ZEROS] = true,
                   [STRANGER] = true,
                   [HARD_LINK] = true}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct error error = {0};
            set_up(kind, "x");
            const mode_t before = kind_of("x");
            enum status claimed = own_file_claim("x", cases[c].mark, "go", &error),
                        written = own_file_write("x", cases[c].mark, "ours,2\n", 7, NULL);
            const enum status want = cases[c].may[kind] ? STATUS_OK : STATUS_INPUT;
            CHECK(claimed == want && written == want, "case %zu, %s: %d and %d: %s", c, kind_name[kind],
                  (int)claimed, (int)written, error.text);
            if (want)
                CHECK(kind_of("x") == before && strstr(error.text, "; go"), "%s: %s", kind_name[kind],
                      error.text);
            else
                check_text("x", "ours,2\n", kind_name[kind]);
            check_text("victim", "notes", kind_name[kind]);
            CHECK(access("target", F_OK) != 0, "%s: a dangling link was followed", kind_name[kind]);
            CHECK(access("x.tmp", F_OK) != 0, "%s: x.tmp is left", kind_name[kind]);
        }
    set_up(NONE, "x");
}

/* NAME.tmp of another's, of every kind, is not used; one that was left is, unless somebody writes it. */
static void check_beside(void)
{
    struct error error = {0};
    char text[64];
    for (enum kind kind = 0; kind < KINDS; kind++) {
        set_up(kind, "y.tmp");
        const mode_t before = kind_of("y.tmp");
        CHECK_OK(own_file_write("y", mark, "ours,2\n", 7, &error), error);
        check_text("y", "ours,2\n", kind_name[kind]);
        check_text("victim", "notes", kind_name[kind]);
        CHECK(access("target", F_OK) != 0 && access("y.tmp-2", F_OK) != 0, "%s", kind_name[kind]);
        const bool left = kind == NONE || kind == EMPTY || kind == OURS || kind == ZEROS;
        CHECK(kind_of("y.tmp") == (left ? 0 : before), "%s: y.tmp", kind_name[kind]);
        if (kind == STRANGER || kind == HARD_LINK)
            check_text("y.tmp", "notes", kind_name[kind]);
    }
    set_up(NONE, "y.tmp");
    struct own_file one, other;
    CHECK_OK(own_file_begin(&one, "y", mark, &error), error);
    CHECK_OK(own_file_begin(&other, "y", mark, &error), error);
    CHECK(strcmp(one.beside, "y.tmp") == 0 && strcmp(other.beside, "y.tmp-2") == 0, "%s, %s", one.beside,
          other.beside);
    fputs("ours,one", one.out);
    fputs("ours,other", other.out);
    CHECK_OK(own_file_end(&one, STATUS_OK, &error), error);
    check_text("y", "ours,one", "of two writers");
    CHECK_OK(own_file_end(&other, STATUS_OK, &error), error);
    check_text("y", "ours,other", "of two writers");
    CHECK_OK(own_file_begin(&one, "y", mark, &error), error);
    fputs("half", one.out);
    CHECK(own_file_end(&one, STATUS_STOPPED, NULL) == STATUS_STOPPED, "the status of who writes");
    get(text, "y.tmp");
    check_text("y", "ours,other", "given up");
    CHECK(!*text, "y.tmp is left: %s", text);
}

/* As on a full disk: in the middle, and at the end, what fits into the buffer of the stream */
static void check_failure(void)
{
    struct rlimit limit = {8, RLIM_INFINITY};
    static char much[1 << 16];
    static const size_t sizes[] = {100, sizeof much};
    memset(much, 'x', sizeof much);
    signal(SIGXFSZ, SIG_IGN);
    struct stat is;
    put("z", "ours,1\n", 7);
    CHECK(chmod("z", 0600) == 0 && own_file_write("z", mark, "ours,1\n", 7, NULL) == STATUS_OK &&
              stat("z", &is) == 0 && (is.st_mode & 0777) == 0600,
          "the permissions of the old file");
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0, "a limit");
    const rlim_t before = limit.rlim_cur;
    for (int k = 0; k < 2; k++) {
        struct error error = {0};
        limit.rlim_cur = 8;
        setrlimit(RLIMIT_FSIZE, &limit);
        enum status status = own_file_write("z", mark, much, sizes[k], &error);
        limit.rlim_cur = before;
        setrlimit(RLIMIT_FSIZE, &limit);
        CHECK(status == STATUS_RUN && error.system == EFBIG &&
                  strcmp(error.text, "z: cannot be written: File too large") == 0,
              "%zu bytes: %d, errno %d: %s", sizes[k], (int)status, error.system, error.text);
        check_text("z", "ours,1\n", "a write that failed");
        CHECK(access("z.tmp", F_OK) != 0, "z.tmp is left");
    }
    struct error error = {.system = EIO};
    CHECK(own_file_write("no/x", mark, "", 0, &error) == STATUS_INPUT &&
              strstr(error.text, "no/x: No such file"),
          "%s", error.text);
    error_set(&error, STATUS_RUN, "V = nan");
    CHECK(error.system == 0, "an error of the run has errno %d", error.system);
}

/* A file that grows: never a link or a pipe; begun anew, other names of it keep their content. */
static void check_growing(void)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct error error = {0};
        int file;
        set_up(kind, "g");
        enum status status = own_file_open(&file, "g", O_WRONLY | O_CREAT | O_TRUNC, &error);
        const bool may = kind < LINK;
        CHECK((status == STATUS_OK) == may && (file >= 0) == may, "%s: %s", kind_name[kind], error.text);
        CHECK(may || (status == STATUS_INPUT && error.system), "%s", kind_name[kind]);
        if (may)
            CHECK(write(file, "new", 3) == 3 && close(file) == 0, "g");
        check_text("victim", "notes", kind_name[kind]);
        CHECK(access("target", F_OK) != 0, "%s: followed", kind_name[kind]);
    }
}

int main(void)
{
    char folder[] = "own_file-XXXXXX";
    CHECK(mkdtemp(folder) && chdir(folder) == 0, "a folder");
    check_claims();
    check_beside();
    check_failure();
    check_growing();
    return 0;
}
