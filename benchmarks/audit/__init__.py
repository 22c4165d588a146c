"""Audits beside other tools: verdicts that are known to be right or wrong, validity, speed."""
