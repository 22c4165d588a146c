"""Deep generators without differential privacy: networks that learn a table and draw from it."""
