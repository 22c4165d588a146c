"""What scores of a pool say: members of the data, and people outside of it, scored blindly.

Attacks score every record of a pool and do not know who is a member. These functions compare the
scores of the members with those of the others (the control): is there any difference, how many
people does it concern, who are they, and how small a difference would have been seen?
"""
