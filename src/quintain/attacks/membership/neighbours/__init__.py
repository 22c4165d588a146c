"""Neighbours: attacks that compare how near a record is to the release and to other people."""
