"""The database of a host: its tables, its transactions and its migrations."""
