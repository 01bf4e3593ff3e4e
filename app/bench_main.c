/* bench_main.c: cardiac-bench, the program that `cardiac bench` starts. */
#include "app/bench/bench.h"
#include "app/util/program.h"
#include "kernels/device/comm.h"

static enum status measure(int argc, char **argv, struct error *error)
{
    static char name[] = "bench";
    argv[0] = name;
    return comm_launched() ? program_refuse_ranks(name, error) : bench_command(argc, argv, error);
}

int main(int argc, char **argv)
{
    return program_main("cardiac-bench", argc, argv, measure);
}
