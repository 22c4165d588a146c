"""Tests of the host: contests on the web."""
