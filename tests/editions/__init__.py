"""The built-in editions, played and checked against what their contests published."""
