"""Accounting: what the noisy answers of a sanitizer really cost, beside what it claims."""
