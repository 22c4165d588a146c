"""Accounting: how much differential privacy a sequence of noisy answers costs."""
