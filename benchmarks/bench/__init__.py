"""What several benchmarks share: the machine, one thread, a task of SNAKE 1."""
