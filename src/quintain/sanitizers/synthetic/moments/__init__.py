"""Synthetic records with the means, variances and covariances of the private ones."""
