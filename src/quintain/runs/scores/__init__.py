"""Scores: cells, boards, result files, and what teams may see of them."""
