"""Privacy against linkability: how many halves of records can be joined."""
