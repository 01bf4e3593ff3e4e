/* machine.c: the processor in /proc/cpuinfo. */
#include "app/util/machine.h"

#include <stdio.h>
#include <string.h>

void machine_processor(char *name, size_t room)
{
    char line[512];
    FILE *in = fopen("/proc/cpuinfo", "r");
    snprintf(name, room, "unknown");
    while (in && fgets(line, sizeof line, in)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10))
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, room, "%s", colon + (colon[1] == ' ' ? 2 : 1));
        break;
    }
    if (in)
        fclose(in);
}
