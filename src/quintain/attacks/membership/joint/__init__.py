"""One likelihood ratio per target over all tables that a sanitizer is known to have counted."""
