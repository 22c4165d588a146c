"""Attacks on published rows: which row of the release is whose?"""
