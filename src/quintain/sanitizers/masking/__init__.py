"""Masking: records changed value by value, left out or added; each method of a questionnaire."""
