"""Linkage attacks: under which pseudonym does each person appear?"""
