"""Texts in audits: notes as numbered words, and the passages that a release repeats from them."""
