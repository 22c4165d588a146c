"""Commands that play whole contests with the built-in players."""
