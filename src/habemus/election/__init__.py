"""The elections of the catalogue: one file each."""
