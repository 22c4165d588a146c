"""Attacks on linkability: which two halves of records belong together?"""
