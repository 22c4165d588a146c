"""Commands that run one part: ``attack`` and ``sanitize``, on a kit or on your own files."""
