"""The checker: every run of a small instance, the shortest counterexample, verdicts with their assumption."""
