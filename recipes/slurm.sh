#!/bin/bash
#SBATCH --job-name=conform-diff
#SBATCH --array=1-64
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=02:00:00
# Submitted from the project's folder, on a file system that all nodes see; `conform` is in the PATH of the nodes.
# When all of the array has ended: conform merge campaign/*.jsonl
exec recipes/shard campaign reference python --dialect godot-3 --cases 100000000 --seed 1
