"""Inputs of an audit: original, release and control, read under one schema for all of them."""
