"""Own files: tables and schemas that the organisers bring, whatever their form."""
