"""Network: an attack on the dependences that a release shows, whatever sanitizer made it."""
