"""Names: replace the names of persons by random pseudonyms."""
