"""Guide: an organiser makes a contest step by step; every step writes keys of the edition file.

The edition file stays the truth. A step reads it, changes the keys that it shows, and leaves all
others alone, so that people may edit the file beside the guide.
"""
