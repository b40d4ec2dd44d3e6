"""The shapes in which programs write chats and logs today, beside those of the samples: one small file for each."""

import json

from memviz.transcripts import load_file, load_transcript


def said(value, **asked):
    """Return role, name and text of each message of a value written as JSON."""
    read = load_transcript(json.dumps(value).encode(), **asked)
    return [(one.role, one.name, one.content) for one in read.messages]


def discord(*messages):
    authors = {
        "Ana": {"id": "5", "name": "ana", "nickname": "Ana", "isBot": False},
        "Bot": {"id": "7", "name": "bot", "nickname": "Bot", "isBot": True},
    }
    rows = [
        {"timestamp": "2024-05-01T10:00:00+00:00", **row, "author": authors[who]}
        for who, row in messages
    ]
    return {"guild": {"id": "1"}, "channel": {"name": "general"}, "messages": rows}


def test_a_bot_that_greets_a_discord_channel_is_not_the_user():
    value = discord(
        ("Bot", {"type": "Default", "content": "Welcome!"}),
        ("Ana", {"type": "Default", "content": "How long do eggs take?"}),
    )
    assert [role for role, _name, _text in said(value)] == ["assistant", "user"]


def test_the_first_bot_of_a_discord_channel_is_the_user_where_no_person_is():
    row = {"type": "Default", "content": "Disk is full"}
    assert said(discord(("Bot", row)))[0][0] == "user"


def test_what_discord_forwards_embeds_and_writes_without_a_type_is_read():
    embed = {
        "title": "Recipe",
        "description": "Boil water",
        "fields": [{"name": "Time", "value": "6 min"}],
    }
    value = discord(
        ("Ana", {"content": "Hi"}),
        ("Ana", {"content": "", "forwardedMessage": {"content": "Old wisdom"}}),
        ("Bot", {"type": "20", "content": "", "embeds": [embed]}),
        ("Bot", {"type": "23", "content": "Translated"}),
    )
    assert [text for _role, _name, text in said(value)] == [
        "Hi",
        "Old wisdom",
        "Recipe\nBoil water\nTime\n6 min",
        "Translated",
    ]


def telegram(*messages):
    rows = [
        {"id": number, "date": "2024-05-01T10:00:00", "type": "message", **row}
        for number, row in enumerate(messages)
    ]
    return {"name": "Ben", "type": "personal_chat", "id": 77, "messages": rows}


def test_a_caption_in_telegram_is_joined_in_itself_and_stands_above_its_photo():
    caption = ["See ", {"type": "bold", "text": "this"}]
    row = {"from": "Ana", "from_id": "user1", "text": caption, "photo": "photos/1.jpg"}
    assert said(telegram(row)) == [("user", "Ana", "See this\nphotos/1.jpg")]


def test_polls_contacts_and_places_of_telegram_have_words():
    poll = {"question": "Tea or coffee?", "answers": [{"text": "Tea"}, {"text": "No"}]}
    contact = {"first_name": "Cy", "last_name": "", "phone_number": "+1"}
    rows = [
        {"poll": poll},
        {"contact_information": contact},
        {"place_name": "Café", "location_information": {"latitude": 1.5}},
        {"media_type": "sticker", "sticker_emoji": "😀", "file": "s.webp"},
    ]
    value = telegram(*({"from": "Ana", "text": "", **row} for row in rows))
    assert [text for _role, _name, text in said(value)] == [
        "Tea or coffee?\nTea\nNo",
        "Cy\n+1",
        "Café\n1.5",
        "sticker\n😀",
    ]


def test_speakers_of_one_name_in_telegram_are_told_apart_by_their_ids():
    value = telegram(
        {"from": "Ana", "from_id": "user1", "text": "Hi"},
        {"from": "Ana", "from_id": "user2", "text": "Hello"},
        {"from": None, "from_id": "user3", "text": "Bye"},
    )
    assert said(value) == [
        ("user", "Ana", "Hi"),
        ("assistant", "Ana", "Hello"),
        ("assistant", "user3", "Bye"),
    ]
    assert [role for role, _name, _text in said(value, user="user3")] == [
        "assistant",
        "assistant",
        "user",
    ]


def test_a_telegram_account_has_chats_that_were_left_behind_many_contacts():
    chat = telegram({"from": "Ana", "text": "Hi"})
    value = {
        "contacts": {"list": [{"first_name": "Cy"}] * 600},
        "chats": {"list": [chat]},
        "left_chats": {"list": [chat | {"name": "Old group"}]},
    }
    loaded = load_file(json.dumps(value).encode())
    assert [read.title for read in loaded.transcripts] == ["Ben", "Old group"]


def test_a_telegram_chat_of_mostly_unsupported_messages_is_known():
    value = telegram({"from": "Ana", "from_id": "user1", "text": "Hi"})
    value["messages"] += [{"id": 7, "type": "unsupported"}] * 3
    assert said(value) == [("user", "Ana", "Hi")]
