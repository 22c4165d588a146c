"""Tournament: every attack against every sanitizer, in every arena.

An arena is a contest with fixed sizes (``arena``). Every registered part that the arena's data and
threat model allow takes part (``players``), without being listed anywhere. ``play`` plays an arena
like any edition and collects the figures, ``results`` stores them, ``claims`` compares them with
what the pages say, and ``page`` shows everything on one page.
"""
