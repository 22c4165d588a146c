"""Dossier: what an audit reads, beside what regulators and standards ask.

``guidance`` is the table of what they ask, in our words, and of the readings that speak to it.
``answers`` looks these readings up in an audit, ``dossier`` puts both together, and ``markdown``
and ``page`` write it. A dossier is no legal advice and judges nothing: the verdict is the audit's.
"""
