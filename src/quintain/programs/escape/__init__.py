"""Escape: programs that try to leave a sandbox, and what they get.

A sandbox that stops every one of them may run programs of strangers.
"""
