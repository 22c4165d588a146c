"""Reconstruction attacks: what are the hidden values of each target, several columns at once?"""
