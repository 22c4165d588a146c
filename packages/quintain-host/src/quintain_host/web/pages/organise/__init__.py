"""The pages of organisers, below /organise."""
