"""Programs to start from, one folder for each contract; kits have copies of them."""
