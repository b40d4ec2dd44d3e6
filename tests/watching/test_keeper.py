"""The keeper appends only what is new, and never a secret."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.errors import ConfigError, MessageError
from memviz.core.messages import Message
from memviz.models.base import Usage
from memviz.storage.watched import Growth
from memviz.transcripts.base import RecordedEvent
from memviz.watching import keeper as module
from memviz.watching.keeper import TITLE_CHARS, find_first_new, find_first_words
from memviz.watching.secrets import Secrets
from tests.tables import for_each
from tests.watching.growing import keeper_in, kept, said

ASKED = {"role": "user", "content": "Where is the key?"}
TOLD = {"role": "assistant", "content": "In the safe."}
AGAIN = {"role": "user", "content": "And the other one?"}


def test_a_history_that_is_sent_again_with_each_request_is_kept_once(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    keeper.append("proxy", "c", [ASKED, TOLD], title="Keys", usage=Usage(10, 5))
    keeper.append("proxy", "c", [ASKED, TOLD])
    keeper.append("proxy", "c", [ASKED, TOLD, AGAIN, TOLD])
    watched = keeper.append("proxy", "c", [TOLD, AGAIN, TOLD, ASKED])
    assert watched is not None
    assert [text for _, text in said(kept(keeper, "proxy/c"))] == [
        one["content"] for one in (ASKED, TOLD, AGAIN, TOLD, ASKED)
    ]
    assert watched.title == "Keys"
    assert watched.state["usage"]["input_tokens"] == 10
    entry = keeper.store.entry(watched.id)
    assert (entry.message_count, entry.turn_count) == (5, 3)


def test_messages_are_known_again_by_their_ids(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    for keys in (["1", "2"], ["1", "2"], ["3", "4"], ["4"]):
        keeper.append("otlp", "c", [ASKED, TOLD][: len(keys)], keys=keys)
    assert len(kept(keeper, "otlp/c")) == 4


def test_a_compaction_is_an_event_before_what_is_new(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    keeper.append("proxy", "c", [ASKED, TOLD])
    told = RecordedEvent("compaction", 0, "The password=hunter22x")
    watched = keeper.append("proxy", "c", [AGAIN], compaction=told)
    assert watched is not None
    (event,) = keeper.store.about(watched.id).events
    assert (event.after_message, event.text) == (2, "The password=***")


def test_a_watcher_that_has_read_less_takes_nothing_away(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    asked, told = Message("user", "One?"), Message("assistant", "Two.")
    state = {"place": {"file": "1-2-3:0", "end": 20}}
    keeper.write("codex/c", Growth(0, [asked, told], state), 20)
    state = {"place": {"file": "1-2-3:0", "end": 10}}
    keeper.write("codex/c", Growth(0, [asked], state), 10)
    assert kept(keeper, "codex/c") == (asked, told)


def test_nothing_of_a_batch_with_a_wrong_message_is_kept(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    with pytest.raises(MessageError):
        keeper.append("proxy", "c", [ASKED, {"role": "nobody", "content": "?"}])
    assert keeper.store.find_watched("proxy/c") is None


@given(st.lists(st.sampled_from("abc"), max_size=12), st.data())
def test_of_a_history_what_follows_the_newest_that_is_known_is_new(
    said: list[str], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(said)))
    begin = data.draw(st.integers(0, cut))
    known, given_again = said[:cut], said[begin:]
    start = find_first_new(known, given_again)
    if begin == 0:
        # A history from its beginning is never taken for another place of itself.
        assert start >= cut or known == given_again[:start]
    assert set(given_again[start:]) <= set(said)
    assert start == 0 or given_again[start - 1] in known


@for_each(
    ("text", "hidden"),
    [
        ("use sk-proj-abcdefghijklmnop1234 now", "use *** now"),
        ("ghp_" + "a1" * 18, "***"),
        ("AKIAABCDEFGHIJKLMNOP!", "***!"),
        ('{"password": "hunter2!x"}', '{"password": "***"}'),
        ('{\\"api_key\\": \\"abcdef123\\"}', '{\\"api_key\\": \\"***\\"}'),
        ("export API_TOKEN=abc123def456", "export API_TOKEN=***"),
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ***"),
        ("postgres://ada:secret@db/one", "postgres://ada:***@db/one"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----.", "***."),
        ("max_tokens: 4096 and token = config.token", "max_tokens: 4096 and token = config.token"),
        ("PWD=/home/ada/trip1 secret: nothing", "PWD=/home/ada/trip1 secret: nothing"),
        ("password_file=/run/secrets/db1 token=~/.netrc1", "password_file=/run/secrets/db1 token=~/.netrc1"),
        ("DB_PASSWORD=/kd83jQx9wPz+yA==", "DB_PASSWORD=***"),
        ("export DB_PASSWORD=swordfish; password: tulip-garden", "export DB_PASSWORD=***; password: ***"),
        ("api_key=abcdefghijkl secret=opensesame", "api_key=*** secret=***"),
        ("the password: 'correct horse battery staple'.", "the password: '***'."),
        ("my password is hunter2Secret, pw: hunter22", "my password is ***, pw: ***"),
        ("密码：12345678a，口令=swordfish9。", "密码：***，口令=***。"),
        ("Passwort: geheim123 mot de passe: secret123", "Passwort: *** mot de passe: ***"),
        ("Set-Cookie: sid=xyz987; Path=/\nOk", "Set-Cookie: ***\nOk"),
        ("curl -s -u ada:curlpw88 https://x", "curl -s -u ada:*** https://x"),
        ("mysql -u root -pRootPw99 shop", "mysql -u root -p*** shop"),
        ("password=user_password, token=get_token(1)", "password=user_password, token=get_token(1)"),
        ("the password is wrong: string password: str", "the password is wrong: string password: str"),
        ("a token costs 12345678 dollars", "a token costs 12345678 dollars"),
        ("the task-list-of-the-morning-shift", "the task-list-of-the-morning-shift"),
    ],
)  # fmt: skip
def test_known_shapes_of_secrets_are_concealed(text: str, hidden: str) -> None:
    assert Secrets().conceal(text) == hidden


def test_a_secret_at_the_end_of_a_title_is_concealed_before_the_title_is_cut(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    key = "ghp_" + "a1" * 18
    asked = Message(
        "user", "Please log in to the database of the shop with this: " + key
    )
    keeper.append("proxy", "c", [asked], title=find_first_words([asked]))
    watched = keeper.store.find_watched("proxy/c")
    assert watched is not None
    title = keeper.store.about(watched.id).title
    assert title == "Please log in to the database of the shop with this: ***"
    long = Message("user", "word " * 50)
    keeper.append("proxy", "d", [long], title=find_first_words([long]))
    watched = keeper.store.find_watched("proxy/d")
    assert watched is not None
    assert len(keeper.store.about(watched.id).title) == TITLE_CHARS


def test_half_a_key_is_in_no_title(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    key = "ghp_" + "a1" * 45
    asked = Message("user", " ".join(["Please use all of:", *[key] * 4]))
    keeper.append("proxy", "c", [asked], title=find_first_words([asked]))
    watched = keeper.store.find_watched("proxy/c")
    assert watched is not None
    title = keeper.store.about(watched.id).title
    assert title == "Please use all of: *** *** ***"


def test_half_a_key_is_at_no_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_MESSAGE_CHARS", 100)
    keeper = keeper_in(tmp_path)
    asked = Message("user", "x" * 85 + " sk-a1" + "b2" * 20)
    keeper.append("proxy", "c", [asked, Message("assistant", "y" * 200)])
    question, reply = kept(keeper, "proxy/c")
    assert question.content == "x" * 85 + " ***"
    assert reply.content == "y" * 100 + " […]"


def test_what_the_user_names_is_concealed_too(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path, [r"ACME-\d+"])
    call = {"id": "1", "name": "find", "arguments": '{"id": "ACME-12"}'}
    asked = {"role": "assistant", "content": "of ACME-7", "tool_calls": [call]}
    keeper.append("proxy", "c", [asked], title="ACME-1", system_prompt="ACME-2")
    (message,) = kept(keeper, "proxy/c")
    assert message.content == "of ***"
    assert message.tool_calls[0].arguments == '{"id": "***"}'
    watched = keeper.store.find_watched("proxy/c")
    assert watched is not None
    about = keeper.store.about(watched.id)
    assert (about.title, about.system_prompt) == ("***", "***")
    with pytest.raises(ConfigError, match="--redact"):
        keeper_in(tmp_path, ["("])


@for_each(
    "hostile",
    [
        "-----BEGIN PRIVATE KEY-----",
        "password",
        "eyJ",
        "http://",
        "secret=",
        "sk-",
        "a",
    ],
)
def test_concealing_takes_time_in_proportion_to_the_text(hostile: str) -> None:
    text = hostile * (200_000 // len(hostile))
    begun = process_time()
    Secrets().conceal(text)
    assert process_time() - begun < 3


def test_the_same_said_over_and_over_is_found_at_once() -> None:
    begun = process_time()
    assert find_first_new(["a"] * 512, ["a"] * 50_000) == 50_000
    assert process_time() - begun < 2


def test_notes_inside_notes_are_concealed_too(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path, [r"ACME-\d+"])
    notes = {"found": [{"of": "ACME-1", "count": 3}], "by": "ACME-2"}
    keeper.append("langchain", "c", [Message("tool", "Done.", meta=notes)])
    (message,) = kept(keeper, "langchain/c")
    assert message.meta == {"found": [{"of": "***", "count": 3}], "by": "***"}


def test_letters_that_no_file_holds_are_replaced(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    odd = "a\ud800"
    for name in (odd, 400 * odd):
        keeper.append(
            "otlp", name, [{"role": "user", "content": odd}],
            keys=[odd], compaction=RecordedEvent("compaction", 0, odd), title=odd, system_prompt=odd, tools=[odd],
            model=odd,
        )  # fmt: skip
    assert said(kept(keeper, "otlp/a\ufffd")) == [("user", "a\ufffd")]
    assert len(keeper.store.newest_watched()) == 2
