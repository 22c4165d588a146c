"""Programs that teams can start from, one folder per contract; kits contain copies of them."""
