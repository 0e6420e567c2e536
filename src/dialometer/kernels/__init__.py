"""Loops over integers: arrays in, arrays out, no strings.

A kernel is plain Python over arrays, flat ones wherever it can be. It allocates nothing: results go to ``out_…`` arguments, scratch
space comes as ``tmp_…`` arguments. So one source runs in two ways with equal results: compiled by numba for real work, or as it
stands on lists for small inputs, where loading a compiler would cost more than the work.
"""

from dialometer.kernels.jit import helper, kernel, run

__all__ = ["helper", "kernel", "run"]
