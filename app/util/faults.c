/* faults.c: append faults to the text of an error. */
#include "app/util/faults.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 1000, MORE = 40 }; /* bytes: of the longest fault; for the line with the number of the rest */

enum status faults_add(struct faults *faults, const char *fault)
{
    struct error *error = faults->error;
    if (!error)
        return STATUS_INPUT;
    char *end = error->text + faults->bytes;
    size_t room = sizeof error->text - (size_t)faults->bytes, length = strnlen(fault, LINE);
    error->status = STATUS_INPUT;
    faults->count++;
    if (faults->shown < FAULTS_SHOWN && faults->shown + 1 == faults->count && length + MORE < room) {
        faults->bytes += snprintf(end, room, "%s%.*s", faults->shown ? "\n" : "", LINE, fault);
        faults->shown++;
    } else
        snprintf(end, room, "\nand %d more", faults->count - faults->shown);
    return STATUS_INPUT;
}
