def arrange(n: int) -> list[int]:
    """Falling in the direction of travel: the k-th largest id goes n - k + 1 hops."""
    return list(range(n, 0, -1))
