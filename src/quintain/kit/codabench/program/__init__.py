"""Programs that run on CodaBench; they need nothing but the standard library."""
