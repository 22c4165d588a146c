"""Host: contests on the web, on the same journal, judge and scores as the command line.

Three kinds of process share a site. The *web* process answers requests; it reads no truth and
parses no file of a stranger. *Workers* do the jobs of the queue: intake workers record what
happens, scoring workers prepare and score, and program workers run the code of teams. The database
is the one system of record; files are stored by their hash or can be made again.
"""
