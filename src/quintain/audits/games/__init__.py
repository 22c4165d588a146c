"""Games: a sanitizer is called many times, with and without a person.

An attacker who can tell from what is published whether the person is in the data has proved that
the sanitizer gives something away about this person. How often that succeeds bounds its epsilon
from below. In the game of neighbours two fixed data sets differ by one person; in the game of coins
a coin decides for each of many people.
"""
