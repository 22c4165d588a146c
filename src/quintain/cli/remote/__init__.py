"""Commands on a site that somebody else runs: ``login``, ``logout``, ``kit`` and ``--server``."""
