"""Backups: a whole site in one file, while it runs, and the site again from that file.

A backup is a zip. ``manifest.json`` names everything in it with its SHA-256, ``tables/NAME.jsonl``
has the rows of a table, and ``files/PATH`` are the files of the site's folder. The rows are JSON,
so a backup of SQLite can be restored into PostgreSQL, and the other way round. It has every secret
of every contest: keep it as safe as the site itself.
"""
