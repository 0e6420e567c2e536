"""Pairwise choices and factors of systems."""
