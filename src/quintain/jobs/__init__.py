"""Jobs: pure functions from files to files, which run on any number of workers and can resume."""
