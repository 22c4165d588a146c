"""The part of the API for teams: everything that the pages of a team do."""
