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


def mapped(data=AS_JSON, name="harbour.json"):
    session = upload(open_page("library"), (name, data))
    return labelled(session.toggle, "Map it yourself").set_value(True).run()


def test_the_first_guess_is_shown_and_imported():
    session = mapped()
    assert "Is the ferry on time?" in shown(session)
    assert labelled(session.selectbox, "Who speaks").value == "direction"
    assert labelled(session.multiselect, "Words of the user").value == ["in"]
    session = settled(click(session, "Import"))
    assert titles(session)[0] == "harbour"
    assert any("2 messages" in text for text in sentences(session.success))


def test_each_choice_shows_what_it_makes_of_the_file():
    session = mapped()
    text = labelled(session.multiselect, "Text").set_value(["remark"]).run()
    assert "calm sea" in shown(text)
    assert "Is the ferry on time?" not in shown(text)
    nobody = labelled(session.multiselect, "Words of the user").set_value([]).run()
    assert any("'in'" in text for text in sentences(nobody.warning))
    assert labelled(nobody.button, "Import").disabled


def test_a_file_of_the_same_shape_begins_with_the_mapping_that_was_used():
    session = mapped()
    labelled(session.multiselect, "Text").set_value(["body", "remark"])
    session = settled(click(session, "Import"))
    more = json.dumps({"log": [{**row, "no": 3} for row in LOG]}).encode()
    session = upload(session, ("later.json", more))
    session = labelled(session.toggle, "Map it yourself").set_value(True).run()
    assert labelled(session.multiselect, "Text").value == ["body", "remark"]


def test_a_mapping_that_was_kept_takes_the_place_of_the_choices():
    session = mapped()
    kept = b"rows: log.*\nspeaker: {field: direction, user: in, assistant: out}\ntext: remark\n"
    upload_control = labelled(session.file_uploader, "A mapping as YAML")
    session = upload_control.set_value([("kept.yaml", kept, "text/yaml")]).run()
    assert "calm sea" in shown(session)
    assert not any(one.label == "Who speaks" for one in session.selectbox)


def test_rows_of_pairs_are_two_messages_each():
    rows = [{"q": "Is it open?", "a": "Until six."}, {"q": "On Sunday?", "a": "No."}]
    session = mapped(json.dumps({"faq": rows}).encode())
    assert labelled(session.multiselect, "Question").value == ["q"]
    assert "Until six." in shown(session)


def test_a_file_without_rows_says_so_and_no_more():
    session = mapped(b"nothing but words", "words.txt")
    assert any(
        "no list of rows" in text or "JSON" in text
        for text in sentences(session.warning)
    )


def test_where_nothing_is_guessed_a_mapping_is_chosen_all_the_same():
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    session = mapped(json.dumps({"log": rows}).encode())
    assert any("write a mapping by hand" in text for text in sentences(session.caption))
    assert labelled(session.selectbox, "Who speaks").value == "a"
    assert labelled(session.button, "Import").disabled
    kept = b"rows: log.*\nspeaker: {field: a, user: 1, assistant: 2}\ntext: b\n"
    upload_control = labelled(session.file_uploader, "A mapping as YAML")
    session = upload_control.set_value([("kept.yaml", kept, "text/yaml")]).run()
    assert not labelled(session.button, "Import").disabled


def test_a_file_without_rows_still_takes_a_mapping():
    session = mapped(b'[[1, "Hi", 0], [2, "Hello", 0]]')
    kept = b"speaker: {field: 0, user: 1, assistant: 2}\ntext: 1\n"
    upload_control = labelled(session.file_uploader, "A mapping as YAML")
    session = upload_control.set_value([("kept.yaml", kept, "text/yaml")]).run()
    assert "Hi" in shown(session)


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
