"""Tasks: one question each; the organisers make them, baselines and programs answer them."""
