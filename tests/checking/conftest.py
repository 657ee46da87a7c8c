"""Makes `small_instances` importable from the folders below: pytest puts the folder of a conftest on the path."""
