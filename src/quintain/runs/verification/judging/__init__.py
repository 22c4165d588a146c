"""Judging: whether every event of a journal could happen when it did."""
