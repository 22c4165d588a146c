"""Kernels: fast exact computations that several stages share; arrays in, arrays out."""
