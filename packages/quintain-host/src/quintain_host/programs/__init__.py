"""Programs on a host: calls of the teams' code go through the queue to workers with a sandbox.

Scoring workers have the truths, so they run no foreign code. They seal the input of one call, put
a job into the lane "program", and wait. A program worker gets this one input, runs it in the
sandbox and gives back bytes. It needs no access to the site: it can pull its jobs over HTTP with
its own token.
"""
