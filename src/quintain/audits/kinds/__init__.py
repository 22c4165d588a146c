"""Audits of data that are no plain tables: series and transactions."""
