"""Attacks that single people out: which descriptions fit exactly one record?"""
