"""Goals on CodaBench: one module each, with a check, a blind answer and the measures."""
