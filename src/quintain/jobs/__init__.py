"""Jobs: pure functions from files to files, run on any number of workers, resumed after a kill."""
