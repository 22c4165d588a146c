"""Benchmarks of models as releases: who was among the records that a classifier learned from?"""
