"""Tests of uploads, from the request to the queue."""
