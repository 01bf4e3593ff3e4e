/* waiting.c: part of every test program: its threads wait for each other as those of the program do. */
#include "app/util/waiting.h"

__attribute__((constructor)) static void shorten(int argc, char **argv)
{
    (void)argc;
    waiting_shorten(argv);
}
