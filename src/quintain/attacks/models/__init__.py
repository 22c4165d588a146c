"""Attacks on models: who was among the records that a classifier learned from?"""
