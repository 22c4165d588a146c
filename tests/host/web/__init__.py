"""Tests of the pages and the API of a site."""
