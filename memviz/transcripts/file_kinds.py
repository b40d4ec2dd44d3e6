"""Kinds of files that are no text, known by their first bytes, and what to do instead of importing one."""

import re
from typing import NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import _, noop
from memviz.transcripts.import_notes import Refusal

SQLITE = b"SQLite format 3\0"
AS_TEXT = noop("Choose a file with a conversation as text.")
UNPACK = noop("Unpack it, and choose the file with the conversations.")
AS_CSV = noop("Save the table as CSV, and import that.")
AS_MARKDOWN = noop("Save it as plain text, and import that.")
AS_ROWS = noop(
    "Write its rows as JSON lines, such as with pandas: read it, then to_json(path, orient='records', "
    "lines=True)."
)
SAMPLED_BYTES = 4_096
CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
MAX_SHARE_OF_CONTROLS = 0.1


class FileKind(NamedTuple):
    """A kind of file in words ("a PNG image"), and what to do with one."""

    name: str
    remedy: str = AS_TEXT

    def refusal(self, kind: type[TranscriptError] = TranscriptError) -> TranscriptError:
        """Return the error for a file of this kind: "this is a PNG image."."""
        refusal = Refusal(noop("this is {kind}."), self.remedy, kind=kind)
        return refusal.error(kind=_(self.name))


_IMAGE = noop("Choose a file with the conversation as text, not a picture of it.")
STARTS = {
    SQLITE: FileKind(noop("an SQLite database")),
    b"PK\x03\x04": FileKind(noop("a zip archive")),
    b"PK\x05\x06": FileKind(noop("an empty zip archive")),
    b"\x1f\x8b": FileKind(noop("a gzip archive")),
    b"%PDF-": FileKind(noop("a PDF document"), AS_MARKDOWN),
    b"{\\rtf": FileKind(noop("an RTF document"), AS_MARKDOWN),
    b"\x89PNG": FileKind(noop("a PNG image"), _IMAGE),
    b"\xff\xd8\xff": FileKind(noop("a JPEG image"), _IMAGE),
    b"GIF8": FileKind(noop("a GIF image"), _IMAGE),
    b"II*\0": FileKind(noop("a TIFF image"), _IMAGE),
    b"MM\0*": FileKind(noop("a TIFF image"), _IMAGE),
    b"PAR1": FileKind(noop("a Parquet file"), AS_ROWS),
    b"ARROW1": FileKind(noop("an Arrow file"), AS_ROWS),
    b"Obj\x01": FileKind(noop("an Avro file"), AS_ROWS),
    b"\x89HDF": FileKind(noop("an HDF5 file"), AS_ROWS),
    b"\x93NUMPY": FileKind(noop("a NumPy array")),
    b"\x80\x04\x95": FileKind(
        noop("a Python pickle, which is not opened because it could run code")
    ),
    b"\x80\x05\x95": FileKind(
        noop("a Python pickle, which is not opened because it could run code")
    ),
    b"\xd0\xcf\x11\xe0": FileKind(
        noop("an old Office document (.xls, .doc or .msg)"),
        noop("Save it as CSV or plain text."),
    ),
    b"7z\xbc\xaf": FileKind("a 7z archive", UNPACK),
    b"Rar!\x1a": FileKind(noop("a RAR archive"), UNPACK),
    b"\xfd7zXZ": FileKind(noop("an xz archive"), UNPACK),
    b"BZh91AY&SY": FileKind("a bzip2 archive", UNPACK),
    b"\x28\xb5\x2f\xfd": FileKind(noop("a Zstandard archive"), UNPACK),
    b"ID3\x03": FileKind(noop("an MP3 recording")),
    b"ID3\x04": FileKind(noop("an MP3 recording")),
    b"OggS\0": FileKind(noop("an Ogg recording")),
    b"fLaC": FileKind(noop("a FLAC recording")),
    b"\x1aE\xdf\xa3": FileKind(noop("a Matroska or WebM video")),
    b"GGUF": FileKind(noop("the weights of a model (GGUF)")),
    b"\x7fELF": FileKind("a program"),
    b"MZ\x90": FileKind("a program"),
}
RIFF_KINDS = {
    b"WEBP": FileKind(noop("a WebP image")),
    b"WAVE": FileKind(noop("a WAV recording")),
    b"AVI ": FileKind(noop("an AVI video")),
}
HEIC_IMAGE = FileKind(noop("a HEIC or AVIF image"))
MP4_FILE = FileKind(noop("an MP4 video or recording"))
BINARY_FILE = FileKind(noop("a binary file of no known kind"))
_AS_JSON = noop("Save the conversation as text, or export it as JSON.")
HTML_PAGE = FileKind(noop("an HTML page"), _AS_JSON)
XML_FILE = FileKind(noop("an XML file"), _AS_JSON)
OFFICE = {
    "xl/workbook.xml": FileKind(noop("an Excel workbook (.xlsx)"), AS_CSV),
    "xl/workbook.bin": FileKind(noop("an Excel workbook (.xlsb)"), AS_CSV),
    "word/document.xml": FileKind(noop("a Word document (.docx)"), AS_MARKDOWN),
    "ppt/presentation.xml": FileKind(
        noop("a PowerPoint presentation (.pptx)"), AS_MARKDOWN
    ),
    "META-INF/container.xml": FileKind(noop("an e-book (.epub)"), AS_MARKDOWN),
    "META-INF/manifest.xml": FileKind(
        noop("an OpenDocument file (.ods or .odt)"),
        noop("Save it as CSV or plain text."),
    ),
}
"""Documents that are zip archives, by a file that only such an archive has."""
_PAGE = re.compile(
    r"\s*(?:<!--.*?-->\s*)*<(?P<name>!doctype html|html|\?xml|svg)\b",
    re.IGNORECASE | re.DOTALL,
)


def binary_kind(data: bytes) -> FileKind | None:
    """Return what a binary file is; ``None`` for one that may be text."""
    for start, kind in STARTS.items():
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] in RIFF_KINDS:
        return RIFF_KINDS[data[8:12]]
    if data[4:8] == b"ftyp":
        return HEIC_IMAGE if data[8:11] in (b"hei", b"mif", b"avi") else MP4_FILE
    return BINARY_FILE if _is_binary(data) else None


def kind_of_page(text: str) -> FileKind | None:
    """Return what a text is that a browser shows: an HTML page, or XML; ``None`` for any other."""
    beginning = _PAGE.match(text[:SAMPLED_BYTES])
    if beginning is None:
        return None
    is_html = beginning["name"].lower() in ("!doctype html", "html")
    return HTML_PAGE if is_html else XML_FILE


def _is_binary(data: bytes) -> bool:
    """Return whether more control characters stand at the start than any text has; NUL may be half of UTF-16 or
    padding."""
    sample = data[:SAMPLED_BYTES].rstrip(b"\0")
    marks = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
    if not sample or sample.startswith(marks) or sample.count(0) * 2 >= len(sample) - 4:
        return False
    return len(sample) - len(sample.translate(None, CONTROLS)) > max(
        4, MAX_SHARE_OF_CONTROLS * len(sample)
    )
