"""Submissions: what teams hand in, from the uploaded bytes to the journal."""
