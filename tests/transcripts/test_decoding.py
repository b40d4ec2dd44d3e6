"""Chinese files that are not UTF-8 are Chinese; letters with accents stay letters with accents."""

from memviz.transcripts import load_transcript
from memviz.transcripts.decoding import decode
from memviz.transcripts.import_notes import ImportNotes
from tests.tables import for_each

CHINESE = [
    "会话,发送方,消息\r\nA,访客,我想预订一个房间\r\nA,店员,好的，请问几位？",
    "他叫朱镕基，喜欢用生僻字，例如：饕餮、龘。",
    "價錢多少？可以便宜一點嗎？",
    "你好 2026 abc，明天见。",
]
LETTERS = [
    "Größe, Übung, Maße: “schön” – weiß",
    "GRÖßE, FÜßE, MAßE, ÄÖÜ",
    "créée, naïveté, garçon, œuvre, ÉÈÀ",
    "señor Ñandú, ¿cómo está?",
]


@for_each("text", CHINESE)
@for_each("encoding", ["gb18030", "utf-8"])
def test_chinese_text_is_read_in_its_encoding(text, encoding):
    notes = ImportNotes()
    assert decode(text.encode(encoding), notes) == text
    is_told = any("GB 18030" in note for note in map(str, notes.sentences()))
    assert is_told == (encoding == "gb18030")


@for_each("text", LETTERS)
def test_letters_with_accents_are_no_chinese(text):
    assert decode(text.encode("cp1252"), ImportNotes()) == text


def test_a_stray_byte_in_chinese_utf8_spoils_nothing_else():
    data = "你好，我想预订一个房间".encode() + b"\xe9"
    assert decode(data, ImportNotes()) == "你好，我想预订一个房间é"


def test_a_table_as_chinese_excel_writes_it_is_imported():
    table = "role,content\r\nuser,我想预订一个房间\r\nassistant,好的，请问几位？\r\n"
    found = load_transcript(table.encode("gb18030"))
    assert found.messages[0].content == "我想预订一个房间"
