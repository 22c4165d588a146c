"""Tasks: one question each, made by the organisers and answered by baselines and programs."""
