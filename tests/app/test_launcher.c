/* test_launcher.c: a command run in this program's place: its status, whatever ends it; a signal goes on as
 * USR1 at first, so that ranks write their checkpoint, and as TERM when another comes; a command that is not
 * there. */
#include "app/run/launcher.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/check.h"

static void ends(const char *script, int want)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct error error = {0};
    int ended = -1;
    CHECK_OK(launcher_run(&ended, (char *const *)(uintptr_t)argv, &error), error);
    CHECK(ended == want, "'%s' ended with %d, not %d", script, ended, want);
}

int main(void)
{
    const char *const nowhere[] = {"no-such-launcher", NULL};
    struct error error = {0};
    int ended = -1;
    ends("exit 0", 0);
    ends("exit 4", 4);
    ends("kill -KILL $$", 128 + SIGKILL);
    ends("read line && exit 9; exit 2", 2); /* nobody types */
    ends("trap 'exit 138' USR1; kill -TERM $PPID; sleep 9 > /dev/null 2>&1 & wait", 128 + SIGTERM);
    ends("trap 'exit 138' USR1; kill -USR1 $PPID; sleep 9 > /dev/null 2>&1 & wait", 128 + SIGUSR1);
    ends("trap 'exit 3' USR1; kill -INT $PPID; sleep 9 > /dev/null 2>&1 & wait", 3);
    ends("trap '' USR1; trap 'exit 7' TERM; kill -INT $PPID; kill -INT $PPID; sleep 1.1; kill -INT $PPID; "
         "sleep 9 > /dev/null 2>&1 & wait",
         7);
    CHECK(launcher_run(&ended, (char *const *)(uintptr_t)nowhere, &error) == STATUS_INPUT &&
              strcmp(error.text, "no-such-launcher: No such file or directory") == 0,
          "%s", error.text);
    return 0;
}
