"""Public pages: what everybody may see of the contests of a site."""
