"""What attackers get from the scores that a contest shows."""
