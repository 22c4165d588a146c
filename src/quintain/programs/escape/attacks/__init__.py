"""Attacks: programs that try to leave their sandbox, each a function of one dictionary.

They run inside the sandbox, so they import nothing of quintain. A function returns a text that says
what it got; an empty text means that it got nothing. None of them does harm where it succeeds.
"""
