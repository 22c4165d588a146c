"""Kits: what participants are handed, and archives for everybody afterwards."""
