"""One process of a group: the node, its turns, its memory and its clock."""
