"""Runs: editions played, live ones too, over a folder of plain files."""
