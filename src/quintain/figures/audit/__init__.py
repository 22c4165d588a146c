"""Drawings of audits: risks beside chance and control, curves, columns and bounds on epsilon."""
