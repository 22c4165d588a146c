"""Dossier: what an audit reads, beside what regulators and standards ask.

``guidance`` is the table of what they ask, in our words, and of the readings that speak to it.
``answers`` looks these readings up in an audit, ``dossier`` puts both together, and ``markdown``
and ``page`` write it. A dossier judges nothing and is not legal advice: the verdict is the audit's.
"""
