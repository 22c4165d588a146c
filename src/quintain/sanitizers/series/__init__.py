"""Sanitizers of time series; those in this folder train no neural network."""
