"""Games: a sanitizer runs many times, and a coin decides each time whether a person is in the data.

An attacker who can tell from the release how the coin fell has proved that the sanitizer gives
something away about this person. How often that succeeds bounds its epsilon from below.
"""
