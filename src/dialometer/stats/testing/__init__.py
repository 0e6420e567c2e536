"""Tests: between metrics, between systems, adjusted for their number."""
