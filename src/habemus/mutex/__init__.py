"""Mutual exclusion: one file an algorithm. Each imports the vocabulary; a variant imports its parent."""
