"""A simple hider and a simple seeker for Hide-and-Seek."""
