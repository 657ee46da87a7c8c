"""Mutual exclusion: one file an algorithm. Each imports the vocabulary and nothing else."""
