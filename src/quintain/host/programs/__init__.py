"""Programs on a host: calls of the teams' code go through the queue to workers with a sandbox.

The bench has the truths, so it runs no foreign code. It seals the input of one call, puts a job
into the lane "program", and waits. A program worker gets this one input, runs it in the sandbox and
gives back bytes. It needs no access to the site: it can pull its jobs over HTTP with its own token.
"""
