"""Tracing with second moments: which statistics a release keeps, and which records explain them.

``variables`` turns records into variables, ``statistics`` has their means and covariances,
``transmission`` says how much of a statistic reaches a release. ``known_noise``, ``learned`` and
``values`` are the attacks.
"""
