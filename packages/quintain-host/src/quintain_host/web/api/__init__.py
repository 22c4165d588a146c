"""The API: everything that the pages do, as JSON, described by OpenAPI."""
