"""Elsewhere: calls of programs that another machine makes; input and result travel sealed."""
