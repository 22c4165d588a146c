"""Workbooks of three formats, honest and hostile ones."""

import base64
import io
import zipfile
import zlib
from datetime import datetime

import openpyxl
import pytest

from quintain.data.own_files import typed
from quintain.data.own_files.typed import read_typed, read_workbook
from quintain.errors import DataError

DAYS = (datetime(2011, 1, 2), datetime(2012, 2, 3))
ROWS = [
    ("who", "age", "bmi", "day", "ok"),
    ("a", 40, 22.5, DAYS[0], True),
    ("b", None, 3.0, DAYS[1], False),
]
XLS = (
    "eNrtWE1oE1EQ/t7uJk1Cm5+aiq1QQsWqbXMQL17qqlR7Sqle/EHQxAQt0USiIPXSao03QfCkeKnUg5eqF/8FvXkQ"
    "KnoQBKHRoydBwUObdWZ2t6a1QgNaaNlvebNv5r2ZN/vevHm7+3YqNj3+oK2CBdgBHVUrCH+NTFEJukwU1G5ZXHXv"
    "ASqWhxWFYIAW0u/Ds6Y3DbyGvN4VaLhvvCIKfKZyBGcwUCzkEsuI3eJDWrEPvUQVbpEkjFbxqlnocaFrhN6Tns+F"
    "7hTJVaG91HdaHcaUOdC13Ynig1qHtIXBdh+JzkeRbEULXnMUj1xTdl8fdpWG0qdWWEO70YgJ0IL25wq5EvMR3EEI"
    "OERIplLJvr5pxGmxJ/DDSgDf3V39MuHJl1euQPKf8+UNf5EHaBEXyq9rBjAK65hskjIl6Jhhx8LZGSQ5BqTowPmT"
    "RaLpEzmimdNDRLPpYYr6Yp6CJ00lE+IELwkhOi8hNMlGaSSaRUTqMdkuUfJo5u63d6nMoHlUJKNyCNhHxUb2DBYu"
    "sgYph6VFF+qj0iUa3UIvidX1Um8TGqc+dO8cbHEqe8ekz2Vp7aRxtgnem5tq6pupXv6673F7+Yu5heqT/ZUL8ckP"
    "5jg6aGaypM/XGHpUj7p5g/HEdO/KSSufhLb+kWICWtTx3XLOwwhmeVMRYkJtjmdHzXGaM1c2pxOnz3EGcYZjWS1i"
    "WYllnqsXWCeex3BbZN0bOAleoeXT4dMC1GLIqGxJW8SSJlp+scRPyV6FJZE+HXFtaGKDjn6tGQ9ZgRLpb4TgwYMH"
    "Dx48ePDgYRVAySuq/VpuOC/mfuebgf/rzFKper9JVi32o0jXOfqo3IMC3UsYrit+1sKnXFtqiTru/0LGARq9hDwy"
    "4ke+7viljxlV+zxLVoz+uy1U7/jVevz8z+P/ArDV1tk="
)
"""The same rows as an old workbook, compressed."""
NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text")
)
MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
)
TYPE = "application/vnd.oasis.opendocument.spreadsheet"


def cell(value):
    """A cell of an OpenDocument sheet."""
    if value is None:
        return "<table:table-cell/>"
    kinds = {str: "string", bool: "boolean", int: "float", float: "float", datetime: "date"}
    kind, text = kinds[type(value)], str(value).lower() if value in (True, False) else str(value)
    if isinstance(value, datetime):
        text = value.date().isoformat()
    names = {"float": "value", "string": "string-value"}
    name = names.get(kind, f"{kind}-value")
    return (
        f'<table:table-cell office:value-type="{kind}" office:{name}="{text}">'
        f"<text:p>{text}</text:p></table:table-cell>"
    )


def ods(path, rows, head="", extra=""):
    """An OpenDocument workbook; LibreOffice ends a sheet with very many empty cells."""
    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    blank = '<table:table-cell table:number-columns-repeated="16384"/>'
    lines += f'<table:table-row table:number-rows-repeated="1048000">{blank}</table:table-row>'
    xml = (
        f'<?xml version="1.0" encoding="UTF-8"?>{head}<office:document-content {NAMESPACES}>'
        f'<office:body><office:spreadsheet><table:table table:name="s">{extra}{lines}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", TYPE)
        archive.writestr("META-INF/manifest.xml", MANIFEST)
        archive.writestr("content.xml", xml)
    return path


def xlsx(path, rows=ROWS):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def rewrite(path, member, change):
    """The same archive with another content of one member."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, change(content) if name.endswith(member) else content)


@pytest.mark.parametrize("form", ["xlsx", "xlsm", "xls", "ods"])
def test_three_formats_give_the_same_cells(tmp_path, form):
    path = tmp_path / f"table.{form}"
    if form == "xls":
        path.write_bytes(zlib.decompress(base64.b64decode(XLS)))
    else:
        (ods if form == "ods" else xlsx)(path, ROWS)
    assert read_workbook(path) == [list(row) for row in ROWS]
    table = read_typed(path)
    assert list(map(str, table.schema.types)) == [
        "string",
        "int64",
        "double",
        "timestamp[s]",
        "bool",
    ]
    assert table.to_pylist() == [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]


@pytest.mark.parametrize("form", ["xlsx", "xls", "ods"])
@pytest.mark.parametrize(
    "content", [b"", b"PK", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 80, b"a,b\n1,2\n"]
)
def test_what_is_not_a_workbook_is_refused_in_one_sentence(tmp_path, form, content):
    (tmp_path / f"table.{form}").write_bytes(content)
    with pytest.raises(DataError, match=rf"table\.{form}: is not a readable Excel workbook"):
        read_workbook(tmp_path / f"table.{form}")


@pytest.mark.parametrize("cut", [100, 2000, 4000])
def test_a_cut_old_workbook_is_refused(tmp_path, cut):
    (tmp_path / "table.xls").write_bytes(zlib.decompress(base64.b64decode(XLS))[:cut])
    with pytest.raises(DataError, match="is not a readable Excel workbook"):
        read_workbook(tmp_path / "table.xls")


def test_entities_are_refused(tmp_path):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    path = ods(tmp_path / "table.ods", ROWS, head=bomb)
    with pytest.raises(DataError, match="defines XML entities"):
        read_workbook(path)
    path = xlsx(tmp_path / "table.xlsx")
    rewrite(path, "sheet1.xml", lambda xml: bomb.encode() + xml)
    with pytest.raises(DataError, match="defines XML entities"):
        read_workbook(path)


def test_a_sheet_with_very_many_cells_is_refused_before_it_is_read(tmp_path):
    path = xlsx(tmp_path / "table.xlsx")
    rewrite(path, "sheet1.xml", lambda xml: xml.replace(b'r="E3"', b'r="XFD1048576"'))
    with pytest.raises(DataError, match="has a sheet with more than 50000000 cells, the limit"):
        read_workbook(path)
    one = cell("x").replace("table-cell ", 'table-cell table:number-columns-repeated="16384" ', 1)
    row = f'<table:table-row table:number-rows-repeated="1048576">{one}</table:table-row>'
    with pytest.raises(DataError, match="has a sheet with more than 50000000 cells"):
        read_workbook(ods(tmp_path / "table.ods", [], extra=row))


def test_a_member_that_is_larger_than_it_says_is_refused(tmp_path):
    path = xlsx(tmp_path / "table.xlsx")
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    content = path.read_bytes().replace(
        size.to_bytes(4, "little"), (size - 50).to_bytes(4, "little")
    )
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a readable Excel workbook"):
        read_workbook(path)


@pytest.mark.parametrize("form", ["xlsx", "ods"])
def test_what_unpacks_to_gigabytes_is_refused(tmp_path, monkeypatch, form):
    path = (ods if form == "ods" else xlsx)(tmp_path / f"table.{form}", ROWS)
    monkeypatch.setattr(typed, "UNPACKED", 500)
    with pytest.raises(DataError, match="the limit is 500; save the sheet as CSV"):
        read_workbook(path)


def test_links_to_other_workbooks_are_not_followed(tmp_path):
    path = xlsx(tmp_path / "table.xlsx", [("a", "b"), ("='file:///etc/[passwd]s'!A1", 2)])
    assert read_workbook(path)[0] == ["a", "b"]
    assert "root" not in str(read_workbook(path))


def test_a_workbook_in_memory_order_has_no_holes(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["C1"], book.active["B2"] = "a", "c", 7
    stream = io.BytesIO()
    book.save(stream)
    (tmp_path / "table.xlsx").write_bytes(stream.getvalue())
    assert read_workbook(tmp_path / "table.xlsx") == [["a", None, "c"], [None, 7, None]]
