"""Tests of what operators do: serve, observe, back up and restore."""
