"""The API of organisers; the pages below /organise call the same services."""
