"""Web: the pages and the API of a site; both are thin, the services do the work."""
