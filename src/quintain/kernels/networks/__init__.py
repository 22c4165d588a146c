"""Neural networks for series, in PyTorch: on a processor or a GPU, many small ones at once.

Sanitizers, attacks and measures all need networks that read series; what they share is here. It
knows nothing of what they are for. PyTorch is optional and slow to import, so nothing here imports
it before it computes.
"""
