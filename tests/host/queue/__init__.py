"""Tests of the queue and its workers."""
