"""Client: what teams do on a site, from their own machine and over its API."""
