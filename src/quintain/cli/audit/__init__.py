"""The commands ``quintain audit ...``: what a release, or a sanitizer, gives away."""
