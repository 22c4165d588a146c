"""Utility of tables: how close the statistics of the release are to those of the original."""
