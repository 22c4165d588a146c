"""Randomness: seeds of a contest by path, noise that protects people, and draws that are exact."""
