"""Request bodies: the smallest one that the description of a route allows, from its OpenAPI."""

from fastapi import FastAPI

from quintain_host.web.pages.routes import PAGES

SENSIBLE = {
    "until": "2026-05-30 12:00",
    "decision": "disqualified",
    "builtin": "tiny",
}
"""Fields whose text has to mean something."""


class Bodies:
    """Bodies for the routes of an application and for its pages, which are not described."""

    def __init__(self, app: FastAPI) -> None:
        pages = FastAPI()
        pages.include_router(PAGES)
        described, hidden = app.openapi(), pages.openapi()
        self._paths = {**hidden["paths"], **described["paths"]}
        self._schemas = (
            hidden.get("components", {}).get("schemas", {}) | described["components"]["schemas"]
        )

    def of(self, method: str, path: str) -> dict:
        """Arguments of a request with a valid body."""
        operation = self._paths[path.replace(":path}", "}")][method.lower()]
        content = operation.get("requestBody", {}).get("content", {})
        for kind, media in content.items():
            value = self.example(media.get("schema", {}))
            if kind == "application/json":
                return {"json": value}
            return self._form(kind, value)
        return {}

    @staticmethod
    def _form(kind: str, value) -> dict:
        if kind == "application/octet-stream":
            return {"content": b"x"}
        fields = {name: one for name, one in value.items() if not isinstance(one, bytes | list)}
        files = [(name, ("x.csv", b"x")) for name in value if name not in fields]
        return {"data": fields, "files": files} if "multipart" in kind else {"data": fields}

    def example(self, schema: dict):
        """A value of a schema, with its required fields alone."""
        if "$ref" in schema:
            return self.example(self._schemas[schema["$ref"].rpartition("/")[2]])
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in schema:
                return self.example(schema[choice][0])
        if "enum" in schema or "const" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        return self._of_type(schema)

    def _of_type(self, schema: dict):
        kind = schema.get("type")
        if kind == "object":
            wanted = schema.get("required", [])
            fields = schema["properties"]
            return {name: SENSIBLE.get(name) or self.example(fields[name]) for name in wanted}
        if kind == "array":
            return [self.example(schema.get("items", {}))]
        if kind == "string":
            return _string(schema)
        return {"integer": int(schema.get("minimum", 1)), "number": 1.0, "boolean": True}.get(kind)


def _string(schema: dict):
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return b"x"
    if schema.get("format") in {"date-time", "date"}:
        return "2026-05-30T00:00:00Z"
    return "x" * max(1, schema.get("minLength", 1))
