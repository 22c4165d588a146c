"""The pages: HTML that works without JavaScript, and better with it."""
