"""Tests of the client of a site."""
