"""Risks: one file per harm, with its question, attacks, measures and words."""
