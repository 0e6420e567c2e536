"""Correlation of metrics with human ratings: coefficients, intervals, levels, and the human ceiling."""
