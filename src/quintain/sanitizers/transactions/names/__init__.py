"""Names: sanitizers that replace the names of persons by pseudonyms."""
