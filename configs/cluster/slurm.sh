#!/bin/bash
# A run of several ranks under Slurm: one rank a GPU. For CPUs alone, leave --gpus-per-node out and let
# --ntasks-per-node be the sockets of a node and --cpus-per-task their cores.
#   sbatch configs/cluster/slurm.sh CONFIG          (srun --mpi=list says by what Slurm and MPI may know each other)
# Half an hour before the time is up Slurm asks the run to stop; it writes a checkpoint, and the same job once more goes on from it.
#SBATCH --job-name=cardiac
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00
#SBATCH --signal=USR1@1800

srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" cardiac run "${1:-configs/heart.yaml}" --resume
