"""Commands of the people who run a site: the server, workers, accounts and backups."""
