"""Tests of backups and of what is restored from them."""
