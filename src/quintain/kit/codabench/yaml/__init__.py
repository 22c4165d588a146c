"""The competition.yaml of a bundle: its tables, its line numbers, and what the platform accepts."""
