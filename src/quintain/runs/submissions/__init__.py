"""Submissions: what teams submit, from the uploaded bytes to the journal."""
