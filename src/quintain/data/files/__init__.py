"""Files: read and write CSV and Parquet files, and check every cell against a schema."""

from quintain.data.files.reading import (
    file_content,
    read,
    read_bytes,
    read_cells,
    read_trusted,
)
from quintain.data.files.writing import to_bytes, write

__all__ = ["file_content", "read", "read_bytes", "read_cells", "read_trusted", "to_bytes", "write"]
