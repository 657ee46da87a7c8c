"""The checker: it explores every run of a small instance, and gives the shortest counterexample.

    model     what may happen in a global state, and what follows from it
    search    how all states are visited: reduction, merging of states, runs without end
    answer    from a question to its verdict, a replay, a story; and whether a recorded trace is a run

Each part imports only those above it in this list.
"""
