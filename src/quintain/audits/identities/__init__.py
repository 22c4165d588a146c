"""Identities: how names, ids and dates may stand in a release, and where they stand in it."""
