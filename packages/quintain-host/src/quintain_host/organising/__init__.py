"""Organising: what organisers do on a site, from the draft of an edition to its reveal."""
