"""Privacy against membership inference: how well attackers distinguish members from others."""
