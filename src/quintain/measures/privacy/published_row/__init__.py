"""Privacy of published rows: how many people can be found in a table."""
