"""Pages of teams: registration, the team itself, kits, uploads, history and receipts."""
