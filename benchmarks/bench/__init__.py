"""What several benchmarks share; each benchmark is a script beside this folder."""
