"""Work: what workers do with the jobs of the queue.

==========  ==================================================================================
lane        kinds
==========  ==================================================================================
intake       check (an upload), join, extend, decide, limits, choose: events that take a moment
scoring       prepare, hand-over, amend, score, standings, freeze, reveal, kit, rejudge: long work
program     program: one call of a team's program in a sandbox
==========  ==================================================================================

A handler takes the site and the claim and returns what the job's result shows. It may be called
again after a crash, so it has to find out what is done already.
"""
