"""Names: who a purchase belongs to, under another name."""
