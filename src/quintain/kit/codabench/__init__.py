"""CodaBench: a contest as a bundle that the platform accepts."""
