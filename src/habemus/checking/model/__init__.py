"""The meaning of an instance: its states, the actions that may happen in them, and their effects."""
