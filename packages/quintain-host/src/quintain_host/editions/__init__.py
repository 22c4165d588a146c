"""Editions on a host: their folders, their journals and what is around them."""
