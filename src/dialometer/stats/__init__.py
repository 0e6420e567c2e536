"""Inference: intervals, correlation, significance, agreement."""
