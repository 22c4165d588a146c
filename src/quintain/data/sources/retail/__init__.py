"""Purchases of an online shop: the real file, or a simulated year."""
