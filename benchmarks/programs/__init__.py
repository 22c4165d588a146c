"""What the sandbox of programs costs and keeps: double runs, whispers, CPU time."""
