"""Verification: what anybody can check in the folder of a contest that is over."""
