"""Security of the web process: headers, forms, cookies and limits on how often people ask."""
