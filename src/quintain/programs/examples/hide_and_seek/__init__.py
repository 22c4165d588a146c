"""A hider and a seeker for Hide-and-Seek."""
