"""Accounts: people who sign in, their sessions, tokens and links."""
