"""The queue: jobs of a host, each claimed by one worker at a time.

A worker claims a job, shows signs of life while it works, and finishes it. The attempt is a fencing
number: it goes up with every claim, and a worker with an old one can change nothing any more.
"""
