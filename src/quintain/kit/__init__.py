"""Kits: what participants get, and the archive that everybody gets after the contest."""
