"""Matching: columns that a release writes otherwise than the original and the control do.

Capitals, spaces, prefixes of codes, parts of dates and other units hide nothing: every reader of
the release sees through them, and so must an audit. ``names`` matches names of columns, ``texts``,
``times`` and ``numbers`` match their cells, ``codes`` finds out which code stands for which value,
and ``match`` has what all matches have in common.

A match looks at the original and the control together and never at which of them a row is from. So
it treats both alike, and a test that permutes their labels stays exact.
"""
