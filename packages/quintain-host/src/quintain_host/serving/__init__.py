"""Serving: run a site as an operator does, with its database, its processes and its logs."""
