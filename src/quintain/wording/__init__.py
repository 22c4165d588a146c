"""Wording: what people read, in their language, printable, with a hint at a mistyped name."""
