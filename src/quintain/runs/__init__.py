"""Runs: prepare, play, score and verify an edition over a folder of plain files."""
