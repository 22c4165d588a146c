"""Examples below a help page: one command per line, ready to copy."""

from __future__ import annotations


def examples(*commands: str) -> str:
    """An epilog that is never wrapped, however narrow the terminal is."""
    head = "Example:" if len(commands) == 1 else "Examples:"
    return "\n".join(["\b", head, *(f"  {command}" for command in commands)])
