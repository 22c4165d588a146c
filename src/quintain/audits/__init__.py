"""Audits: what does a release, or a sanitizer, give away about the people in the data?

A release audit holds a release beside its original and beside a control: people of the same
population who are not in the original. A sanitizer audit runs the sanitizer many times on data
with and without some people. Both use the attacks and measures of the contests.
"""
