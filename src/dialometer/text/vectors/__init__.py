"""Vectors of words, sentences and emotions over a corpus: looked up or encoded once, pooled, weighted, kept on disk."""
