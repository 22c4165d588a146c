"""Sharing: several machines serve one site without a shared disk.

**What is where.** Contents lie in a store (S3, or a folder that all machines see) under their
SHA-256, and never change there. The database says which content each file of an edition has now
(``shared_file``), beside the journal and everything else. So the database alone decides, and a
backup of it fits the store for ever.

**Who works where.** Every process has its own working copy of the edition folders: one for the web
process and one for each lane of a worker. A lane does one job at a time, so nobody else touches
the copy of a job. The engine reads and writes plain files there, as on one machine.

**A job** begins with the truth: what an earlier job left in the copy without recording it is put
away, and what other machines recorded is fetched. Whatever the job changes is stored and recorded
at three moments: with each event, when it lets go of the journal, and at its end.

**Why a kill does no harm.** A content is in the store before the database names it, so the
database never names what is not there. The rows of the files that an event needs are written in the
transaction of the event: both are there, or none is. Before that transaction, a kill leaves
contents that nobody names and files in a copy that the next job puts away; the job is done again.
After it, the next worker finds the event with its files, and goes on as on one machine. A worker
that lost its job cannot record anything: the transaction asks whether it still holds the job. Two
machines cannot append at the same time: the writer of a journal holds a lock in the database. If it
loses the connection with the lock, another machine may have taken the number of its event; then
nothing is recorded, and the job is done again.

**Who may read what.** Contents of folders with secrets have names of their own (``closed/``). A web
process does not fetch them, and its credentials need not allow it.

``.cache`` of an edition folder is not shared: every machine computes it again from the rest.
"""
