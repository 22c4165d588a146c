"""Pages of accounts: sign in and up, the own account, and the accounts of a site for operators."""
