"""Nodes as an operator sees them: options, reports, HTTP, discovery and local clusters."""
