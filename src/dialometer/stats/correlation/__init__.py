"""Correlation of metrics with people: coefficients, intervals, levels, and the human ceiling."""
