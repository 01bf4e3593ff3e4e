/* start_ranks.c: start_ranks N COMMAND...: starts a command as N ranks that the library local_comm.c joins,
 * and returns the status of the first that failed. One that ends without coming to the end together with the
 * others ends them all, as mpirun does. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/device/comm.h"
#include "tests/support/local_comm.h"

static int die(const char *what)
{
    perror(what);
    exit(LOCAL_MISMATCH);
}

/* In the child: its sockets at their places, nobody else's */
static void become(int rank, int size, int pair[COMM_CHANNELS][LOCAL_MOST][LOCAL_MOST], char **command)
{
    char text[16];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int c = 0; c < COMM_CHANNELS; c++)
        for (int other = 0; other < size; other++)
            if (other != rank && dup2(pair[c][rank][other], LOCAL_FILE(c, other)) < 0)
                die("dup2");
    for (int c = 0; c < COMM_CHANNELS; c++)
        for (int k = 0; k < size * size; k++)
            if (k / size != k % size)
                close(pair[c][k / size][k % size]);
    snprintf(text, sizeof text, "%d", rank);
    setenv("OMPI_COMM_WORLD_RANK", text, 1);
    snprintf(text, sizeof text, "%d", size);
    setenv("OMPI_COMM_WORLD_SIZE", text, 1);
    execvp(command[0], command);
    die(command[0]);
}

int main(int argc, char **argv)
{
    int size = argc > 2 ? atoi(argv[1]) : 0, status = 0, pair[COMM_CHANNELS][LOCAL_MOST][LOCAL_MOST];
    pid_t rank[LOCAL_MOST] = {0};
    if (size < 2 || size > LOCAL_MOST) {
        fprintf(stderr, "usage: start_ranks N COMMAND..., of 2 to %d ranks\n", LOCAL_MOST);
        return LOCAL_MISMATCH;
    }
    int file = memfd_create("ranks", 0);
    if (file < 0 || ftruncate(file, sizeof(struct local_state)) || dup2(file, LOCAL_STATE) < 0)
        die("memfd_create");
    struct local_state *state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, LOCAL_STATE, 0);
    if (state == MAP_FAILED)
        die("mmap");
    for (int c = 0; c < COMM_CHANNELS; c++)
        for (int a = 0; a < size; a++)
            for (int b = 0; b < a; b++) {
                int ends[2];
                if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
                    die("socketpair");
                pair[c][a][b] = ends[0];
                pair[c][b][a] = ends[1];
            }
    for (int r = 0; r < size; r++) {
        rank[r] = fork();
        if (rank[r] == 0)
            become(r, size, pair, argv + 2);
        if (rank[r] < 0)
            die("fork");
    }
    for (int c = 0; c < COMM_CHANNELS; c++)
        for (int k = 0; k < size * size; k++)
            if (k / size != k % size)
                close(pair[c][k / size][k % size]);
    for (int left = size; left > 0; left--) {
        int how, r = 0;
        pid_t ended = wait(&how);
        while (r < size && rank[r] != ended)
            r++;
        if (r == size)
            continue;
        int one = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        bool together = state->closed[r];
        rank[r] = 0;
        if (!together && one == 0)
            fprintf(stderr, "ranks: rank %d has ended with status 0, and without the others\n", r);
        one = !together && one == 0 ? LOCAL_MISMATCH : one;
        status = status ? status : one;
        for (int other = 0; other < size && !together; other++)
            if (rank[other] > 0)
                kill(rank[other], SIGKILL);
    }
    return status;
}
