"""Shapes: what is special about an audit of tables, of series and of pseudonyms."""
