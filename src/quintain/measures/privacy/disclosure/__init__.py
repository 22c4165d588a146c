"""Disclosure: what statistical offices count in a file before they release it.

These measures know no attack. They ask who is alone with values that others may know, and what
somebody reads off who looks a known person up in the release.
"""
