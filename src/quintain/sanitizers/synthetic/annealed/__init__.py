"""Annealed synthetic data: invented records that swap values until statistics are close enough.

``counts`` draws how often each value occurs, ``swaps`` lets records exchange values, ``leaves`` and
``splits`` assign the categories that decision trees predict, ``public`` has statistics that tell
nothing about members; ``synthesizer`` combines them.
"""
