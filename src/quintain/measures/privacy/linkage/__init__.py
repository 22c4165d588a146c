"""Privacy against linkage: how many people can be found behind their pseudonyms."""
