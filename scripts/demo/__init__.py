"""The demonstration of ``make demo``: a site with contests that were played on it."""
