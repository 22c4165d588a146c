"""Languages of the site: which one a visitor reads, its catalogue, and how it writes dates.

``fr.po`` and ``ja.po`` are the catalogues, ``quintain.pot`` lists every text of the site, and
``scripts/catalogue.py`` writes it and brings the catalogues up to date. English is the language of
the texts themselves, so it needs none.
"""
