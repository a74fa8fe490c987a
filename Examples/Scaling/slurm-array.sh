#!/bin/sh
# Runs `tensorio bulk` in eight parts, as an array of Slurm.
#
#     tensorio list photos -o photos.manifest && mkdir results
#     sbatch slurm-array.sh photos.manifest pets.tiobundle
#     tensorio merge results/rows-*.jsonl -o rows.sqlite              when the array is complete
#
# The folder must be on every machine. Documentation/Scaling.md explains the parts.
#SBATCH --job-name=bulk
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --output=results/part-%a.log
#SBATCH --requeue

exec tensorio bulk "$1" --model "$2" --part job --threads "$SLURM_CPUS_PER_TASK" \
  --resume -o 'results/rows-{part}.jsonl'
