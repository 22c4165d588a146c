"""Attribute attacks: what is the hidden value of each target?"""
