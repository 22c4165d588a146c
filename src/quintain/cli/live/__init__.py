"""Commands for a contest that runs: its teams, its changes, its journal and its end."""
