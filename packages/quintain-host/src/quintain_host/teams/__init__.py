"""Teams of a site: how they register, who is in them, and what they may see of their contest."""
