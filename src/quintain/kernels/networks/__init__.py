"""Neural networks for series, in PyTorch: on a processor or a GPU, many small ones at once.

Sanitizers, attacks and measures share these networks. PyTorch is optional and slow to import, so
it is imported only when something is computed.
"""
