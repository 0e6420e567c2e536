"""Helpers of ``turns`` and ``conversation``: the features, one function each."""
