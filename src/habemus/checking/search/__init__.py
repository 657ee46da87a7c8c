"""How the states of an instance are explored: the search, and what makes it smaller."""
