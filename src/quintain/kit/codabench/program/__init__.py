"""Programs that run on CodaBench; they need nothing but the standard library of Python 3.7.

A bundle has the files of this folder that its contest needs, side by side. Their imports of each
other are the only lines that differ there.
"""
