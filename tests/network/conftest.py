"""Makes groups.py importable by the tests in the folders below."""
