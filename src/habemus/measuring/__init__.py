"""Measuring algorithms against their proven costs."""
