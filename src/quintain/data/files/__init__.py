"""Files: read and write CSV and Parquet files, and check every cell against a schema."""

from quintain.data.files.data_file import (
    file_content,
    read,
    read_bytes,
    read_cells,
    read_trusted,
    to_bytes,
    write,
)

__all__ = ["file_content", "read", "read_bytes", "read_cells", "read_trusted", "to_bytes", "write"]
