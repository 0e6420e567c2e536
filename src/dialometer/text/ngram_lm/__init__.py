"""The n-gram language model: counts, Katz back-off with Good–Turing discounts, entropy pruning, ARPA files."""
