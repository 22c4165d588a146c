"""Observing: what operators learn of a running web process, from logs, metrics and health."""
