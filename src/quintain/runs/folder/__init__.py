"""The edition folder: where every file of a contest is."""
