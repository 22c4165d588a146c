"""Annealed synthetic data: nobody's records, settled until chosen statistics are close enough.

``counts`` draws how often each value occurs, ``swaps`` lets records exchange values, ``leaves``
assigns the categories that decision trees predict; ``synthesizer`` puts them together.
"""
