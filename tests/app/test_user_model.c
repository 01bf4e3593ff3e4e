/* test_user_model.c: what a first start worked out of a bundled text is opened by the second one; what that
 * one works out besides, it does with the sums that the text's rates conserve. */
#include "app/models/user_model.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/support/check.h"

/* Reads, and compiles if need be; returns whether the cache had what the text is compiled to */
static bool start(const char *name, bool staggered)
{
    struct error error = {0};
    struct user_model *list = NULL, *user = NULL;
    CHECK_OK(user_model_bundled(&list, &user, bundled_find(name), &error), error);
    bool found = user->cached;
    CHECK_OK(user_model_compile(user, (struct source_way){.staggered = staggered}, &error), error);
    CHECK(user->compiled.sums.count > 0 || found, "%s conserves no sum", name);
    CHECK(user->compiled.sums.count > 0 || !staggered, "limits without the sums of %s", name);
    CHECK(user->cached && user->model.step_largest > 0, "%s is not in the cache", name);
    user_model_free(list);
    return found;
}

int main(void)
{
    char home[] = "/tmp/test_user_model.XXXXXX", command[100];
    if (system("command -v cc >/dev/null") != 0)
        return 77;
    CHECK(mkdtemp(home), "no folder");
    setenv("XDG_CACHE_HOME", home, 1);
    unsetenv("CC");
    bool first = start("fabbri", false), second = start("fabbri", false) && start("fabbri", true);
    snprintf(command, sizeof command, "rm -r %s", home);
    CHECK(system(command) == 0, "%s", home);
    CHECK(!first && second, "a first start %s, a second one %s", first ? "opens an entry" : "compiles",
          second ? "opens it" : "compiles again");
    return 0;
}
