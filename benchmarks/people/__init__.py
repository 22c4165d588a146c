"""Sanitizers on people: several tables, each person a tree of rows."""
