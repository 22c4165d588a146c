"""Reading: what somebody gives to an audit becomes tables by role, under one schema for all."""
