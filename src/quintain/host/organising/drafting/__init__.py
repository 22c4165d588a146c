"""Drafting: editions whose rules are not fixed yet, checked in a process apart."""
