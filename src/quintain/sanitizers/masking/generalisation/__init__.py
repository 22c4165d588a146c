"""Generalisation: records become alike in some columns, until nobody stands out of their class."""
