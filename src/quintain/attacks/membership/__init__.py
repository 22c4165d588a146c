"""Membership attacks: who was in the private data?"""
