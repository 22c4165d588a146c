"""Checks that need no attack: is the control one, and is the release too near to people?"""
