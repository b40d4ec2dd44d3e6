"""*Map it yourself*: a file that no format fits is read as the visitor says, and its mapping begins the next one."""

import json

from memviz.core.translation import use_language
from tests.pages.driving import click, labelled, open_address, open_page, sentences
from tests.pages.importing import settled, titles, upload

LOG = [
    {"no": 1, "direction": "in", "body": "Is the ferry on time?", "remark": "calm sea"},
    {"no": 2, "direction": "out", "body": "Yes, at 7:40.", "remark": "calm sea"},
]
AS_JSON = json.dumps({"log": LOG}).encode()


def shown(session):
    return " ".join(element.proto.body for element in session.get("html"))


def map_next(session, data, name="harbour.json"):
    session = upload(session, (name, data))
    return labelled(session.toggle, "Map it yourself").set_value(True).run()


def mapped(data=AS_JSON, name="harbour.json"):
    return map_next(open_page("library"), data, name)


def with_mapping(session, mapping):
    control = labelled(session.file_uploader, "A mapping as YAML")
    return control.set_value([("kept.yaml", mapping, "text/yaml")]).run()


def test_each_choice_shows_what_it_makes_of_the_file_and_begins_the_next_of_its_shape():
    session = mapped()
    assert "Is the ferry on time?" in shown(session)
    assert labelled(session.selectbox, "Who speaks").value == "direction"
    assert labelled(session.multiselect, "Words of the user").value == ["in"]
    text = labelled(session.multiselect, "Text").set_value(["remark"]).run()
    assert "calm sea" in shown(text)
    assert "Is the ferry on time?" not in shown(text)
    nobody = labelled(session.multiselect, "Words of the user").set_value([]).run()
    assert any("'in'" in text for text in sentences(nobody.warning))
    assert labelled(nobody.button, "Import").disabled
    labelled(session.multiselect, "Words of the user").set_value(["in"])
    labelled(session.multiselect, "Text").set_value(["body", "remark"]).run()
    session = settled(click(session, "Import"))
    assert titles(session)[0] == "harbour"
    assert any("2 messages" in text for text in sentences(session.success))
    more = json.dumps({"log": [{**row, "no": 3} for row in LOG]}).encode()
    session = map_next(session, more, "later.json")
    assert labelled(session.multiselect, "Text").value == ["body", "remark"]


def test_rows_of_pairs_are_two_messages_each():
    rows = [{"q": "Is it open?", "a": "Until six."}, {"q": "On Sunday?", "a": "No."}]
    session = mapped(json.dumps({"faq": rows}).encode())
    assert labelled(session.multiselect, "Question").value == ["q"]
    assert "Until six." in shown(session)


def test_a_kept_mapping_takes_the_place_of_choices_also_where_nothing_is_guessed():
    session = mapped(b"nothing but words", "words.txt")
    assert any(
        "no list of rows" in text or "JSON" in text
        for text in sentences(session.warning)
    )
    session = map_next(session, b'[[1, "Hi", 0], [2, "Hello", 0]]', "lists.json")
    by_place = b"speaker: {field: 0, user: 1, assistant: 2}\ntext: 1\n"
    assert "Hi" in shown(with_mapping(session, by_place)), "it has no rows of fields"

    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    session = map_next(session, json.dumps({"log": rows}).encode(), "rows.json")
    assert any("write a mapping by hand" in text for text in sentences(session.caption))
    assert labelled(session.selectbox, "Who speaks").value == "a"
    assert labelled(session.button, "Import").disabled
    by_name = b"rows: log.*\nspeaker: {field: a, user: 1, assistant: 2}\ntext: b\n"
    with_mapping(session, by_name)
    assert not labelled(session.button, "Import").disabled
    assert not any(one.label == "Who speaks" for one in session.selectbox)


def test_conversations_by_their_ids_are_offered_together_and_each():
    threads = {"t-1": {"log": LOG}, "t-2": {"log": LOG}}
    session = mapped(json.dumps({"threads": threads}).encode())
    places = labelled(session.selectbox, "List of messages")
    assert places.options[places.index] == "threads.*.log.* · 4 rows"
    assert "threads.t-2.log.* · 2 rows" in places.options
    number = places.options.index("threads.t-2.log.* · 2 rows")
    session = places.set_value(number).run()
    assert any("one of 2 lists" in text for text in sentences(session.caption))


def test_choices_of_which_nothing_is_chosen_are_read_in_the_visitors_language():
    with use_language("zh"):
        session = open_address("library", {"lang": ["zh"]})
        control = labelled(session.file_uploader, "导入对话")
        session = control.set_value([("harbour.json", AS_JSON, "")]).run()
        session = labelled(session.toggle, "自行映射").set_value(True).run()
    assert labelled(session.selectbox, "消息列表").options[-1].endswith(" · 2 行")
    assert labelled(session.multiselect, "系统的词").proto.placeholder == "无"
