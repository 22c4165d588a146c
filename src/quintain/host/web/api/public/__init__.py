"""The public part of the API: what everybody may know of a contest."""
