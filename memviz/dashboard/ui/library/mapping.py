"""*Map it yourself*: where no format fits, the choices that say where the messages of a file lie, with the first
messages at every choice."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from memviz.core.errors import TranscriptError
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.markup import element, joined
from memviz.dashboard.ui.controls.message_html import message_html
from memviz.dashboard.ui.library.state import Mapped, library_state
from memviz.dashboard.ui.shell.elements import (
    box,
    buttons_row,
    main_button,
    popup,
    segments,
    show_caption,
    show_warning,
)
from memviz.dashboard.ui.shell.text import file_name
from memviz.transcripts.background import NamedBytes
from memviz.transcripts.limits import Limits
from memviz.transcripts.mapping.declaration import (
    ROLES,
    FileMapping,
    Saying,
    Speaker,
    read_mapping,
)
from memviz.transcripts.mapping.guess import (
    Field,
    find_fields,
    find_mappable_document,
    guess_from,
    guess_mapping,
    word_of,
)
from memviz.transcripts.mapping.interpreter import MappedReader
from memviz.transcripts.mapping.places import WHOLE_FILE, ListPlace, find_places

FIRST_ROWS = 50
FIRST_MESSAGES = 6
MAX_CHARS = 300
MAX_WORDS = 30
ROLE_WORDS = {
    "user": noop("Words of the user"),
    "assistant": noop("Words of the assistant"),
    "system": noop("Words of the system"),
    "tool": noop("Words of tools"),
}
OTHERS = {
    "known": noop("By their usual names"),
    "first_is_user": noop("First to speak is the user"),
    "assistant": noop("The assistant"),
    "user": noop("The user"),
    "skip": noop("Left out"),
}
OTHER_FIELDS = {
    "time": noop("Time"),
    "conversation": noop("Conversation"),
    "order": noop("In the order of"),
}
"""The parts of a mapping that are paths of fields, with the words on their controls."""
PAIR_TEXTS = {
    "system": noop("System prompt"),
    "user": noop("Question"),
    "assistant": noop("Answer"),
}
"""Who says the texts of a row that is a question with its answer, with the words on their controls."""
HELP = noop(
    "Say which list holds the messages, who speaks, and where text and time stand. The first messages show at once "
    "what each choice makes of the file."
)
KEPT_HELP = noop(
    "A mapping that you downloaded here, or that memviz map wrote. It takes the place of the choices."
)
NONE = noop("None")


def mapping_panel(file: NamedBytes, key: str) -> None:
    """Offer to say where the messages of a file lie, and import it by that."""
    if not st.toggle(_("Map it yourself"), key=f"map-{key}"):
        return
    st.caption(_(HELP))
    mapped = library_state().mapped.get(key)
    if mapped is None:
        with _warning_shown():
            mapped = library_state().mapped[key] = _mapped_at_first(file)
    if mapped is None:
        return
    with box(f"mapping-{key}"):
        # The messages come first, so that they stay in sight where columns stand one below the other.
        preview, choices = st.columns([3, 2])
        with choices:
            mapping = _uploaded_mapping(key) or _chosen_mapping(mapped, key)
        with preview:
            if mapped.problem:
                show_caption(mapped.problem)
            is_read = mapping is not None and _first_messages(mapped, mapping)
        if mapping is not None:
            _import_or_keep(file, mapping, key, is_read=is_read)


@contextmanager
def _warning_shown() -> Iterator[None]:
    """Show what the block could not read, and go on behind it."""
    try:
        yield
    except TranscriptError as error:
        show_warning(str(error))


def _mapped_at_first(file: NamedBytes) -> Mapped:
    """Return the file with its places of rows, and the first mapping: one that was used for such a file, or a guess;
    an empty one where nothing is guessed, so that the visitor still chooses."""
    document = find_mappable_document(
        file.content, file.name, Limits.from_environment()
    )
    places = find_places(document)
    shape = _shape_of(places)
    first = library_state().mappings.get(shape)
    try:
        return Mapped(document, places, shape, first or guess_mapping(document))
    except TranscriptError as error:
        return Mapped(document, places, shape, _blank(places), str(error))


def _blank(places: Sequence[ListPlace]) -> FileMapping:
    """Return a mapping that says no more than where the most rows are."""
    if not places:
        return FileMapping()
    most = max(places, key=lambda place: len(place.first))
    return FileMapping(
        table=most.table, conversations=most.conversations, rows=most.rows
    )


def _shape_of(places: Sequence[ListPlace]) -> str:
    """Return by what files of one shape are known: where rows lie, and which fields they have."""
    shapes = []
    for place in places:
        fields = sorted(field.path for field in find_fields(place.first))
        shapes.append(f"{place.table} {place.path}: {' '.join(fields)}")
    return "\n".join(shapes)


def _uploaded_mapping(key: str) -> FileMapping | None:
    with popup(_("Open a mapping"), ":material/folder_open:", width="stretch"):
        file = st.file_uploader(
            _("A mapping as YAML"), key=f"map-file-{key}", help=_(KEPT_HELP)
        )
    if file is not None:
        with _warning_shown():
            return read_mapping(file.getvalue())
    return None


def _chosen_mapping(mapped: Mapped, key: str) -> FileMapping | None:
    """Return the mapping that the controls say; ``None`` for a file in which there is nothing to choose."""
    places = mapped.places
    if not places:
        return None
    fitting = [at for at, place in enumerate(places) if _is_at(mapped.first, place)]
    number = st.selectbox(
        _("List of messages"),
        range(len(places)),
        index=fitting[0] if fitting else 0,
        format_func=lambda at: _place_words(places[at]),
        key=f"map-rows-{key}",
    )
    place = places[number]
    guessed = mapped.first
    if fitting and number not in fitting:
        guess = guess_from(place)
        guessed = guess[1] if guess else FileMapping()
    fields = find_fields(place.first)
    key = f"{key}-{number}"
    is_pair = segments(
        _("A row is"),
        [False, True],
        default=bool(guessed.say),
        format_func=_kind_words,
        key=f"map-kind-{key}",
    )
    rows_at = {
        "table": place.table,
        "conversations": place.conversations,
        "rows": place.rows,
    }
    if not is_pair:
        return _message_mapping(guessed, fields, rows_at, key)
    if guessed.say:
        rows_at["conversations"] = guessed.conversations
        rows_at["rows"] = guessed.rows
    return _pair_mapping(guessed, fields, rows_at, key)


def _is_at(mapping: FileMapping, place: ListPlace) -> bool:
    """Return whether a mapping reads the rows of a place."""
    path = ".".join(filter(None, (mapping.conversations, mapping.rows)))
    return mapping.table == place.table and path.removesuffix("..") == place.path


def _kind_words(is_pair: bool) -> str:
    return _("a question with its answer") if is_pair else _("one message")


def _place_words(place: ListPlace) -> str:
    rows = counted(place.first, "row")
    name = place.table or place.path
    return f"{_('the file itself') if name == WHOLE_FILE else name} · {rows}"


def _field_choice(
    label: str,
    fields: Sequence[Field],
    chosen: str,
    key: str,
    *,
    may_be_none: bool = True,
) -> str:
    """Return the path of the field that is chosen; empty where none is."""
    words = {
        field.path: f"{field.path} · {str(field.values[0])[:30]}" for field in fields
    }
    if chosen and chosen not in words:
        words = {chosen: f"{chosen} · ", **words}
    if may_be_none:
        words = {"": _(NONE), **words}
    paths = list(words)
    path = st.selectbox(
        label,
        paths,
        index=paths.index(chosen) if chosen in paths else 0,
        format_func=words.__getitem__,
        key=key,
    )
    return path or ""


def _texts_choice(
    label: str, fields: Sequence[Field], chosen: Sequence[str], key: str
) -> tuple[str, ...]:
    paths = [field.path for field in fields]
    paths += [path for path in chosen if path not in paths]
    return tuple(
        st.multiselect(label, paths, default=list(chosen), placeholder=_(NONE), key=key)
    )


def _message_mapping(
    guessed: FileMapping, fields: Sequence[Field], rows_at: dict[str, str], key: str
) -> FileMapping:
    guess = guessed.speaker or Speaker(field=fields[0].path if fields else "role")
    speaker = _speaker(guess, fields, key)
    texts = _texts_choice(_("Text"), fields, guessed.text, f"map-text-{key}")
    paths = {}
    for name, label in OTHER_FIELDS.items():
        path = getattr(guessed, name)
        paths[name] = _field_choice(_(label), fields, path, f"map-{name}-{key}")
    return FileMapping.model_validate(
        {"speaker": speaker, "text": texts, **paths, **rows_at}
    )


def _speaker(guess: Speaker, fields: Sequence[Field], key: str) -> Speaker:
    """Return who speaks: a field, and which of its words mean which role."""
    path = _field_choice(
        _("Who speaks"), fields, guess.field, f"map-speaker-{key}", may_be_none=False
    )
    values_by_path = {field.path: field.values for field in fields}
    words_in_field = filter(None, map(word_of, values_by_path.get(path, [])))
    words = list(dict.fromkeys(words_in_field))[:MAX_WORDS]
    words_of_roles: dict[str, list[str]] = {}
    for role in ROLES:
        words_of_role = [word for word in getattr(guess, role) if word in words]
        words_of_roles[role] = st.multiselect(
            _(ROLE_WORDS[role]),
            words,
            default=words_of_role if path == guess.field else [],
            placeholder=_(NONE),
            key=f"map-{role}-{key}-{path}",
        )
    role_of_others = st.selectbox(
        _("Everybody else"),
        list(OTHERS),
        index=list(OTHERS).index(guess.others),
        format_func=lambda word: _(OTHERS[word]),
        key=f"map-others-{key}",
    )
    return Speaker.model_validate(
        {"field": path, "others": role_of_others, **words_of_roles}
    )


def _pair_mapping(
    guessed: FileMapping, fields: Sequence[Field], rows_at: dict[str, str], key: str
) -> FileMapping:
    paths = {str(saying.role): saying.text for saying in guessed.say}
    sayings = []
    for role, label in PAIR_TEXTS.items():
        chosen = _texts_choice(
            _(label), fields, paths.get(role, ()), f"map-pair-{role}-{key}"
        )
        if chosen:
            sayings.append(Saying.model_validate({"role": role, "text": chosen}))
    group = _field_choice(
        _("Conversation"), fields, guessed.conversation, f"map-pair-group-{key}"
    )
    return FileMapping(say=tuple(sayings), conversation=group, **rows_at)


def _first_messages(mapped: Mapped, mapping: FileMapping) -> bool:
    """Show the first messages that a mapping reads, or why it reads none; return whether it reads any."""
    with _warning_shown():
        preview = MappedReader(mapping).preview(mapped.document, FIRST_ROWS)
        st.caption(_("The first messages as they would be read"))
        rows = []
        for number, message in enumerate(preview.messages[:FIRST_MESSAGES], 1):
            facts = (str(number), _(message.role), message.name)
            head = " · ".join(filter(None, facts))
            body = message_html(message, head, _("shown once imported"), MAX_CHARS)
            rows.append(element("div", body, class_="memviz-message"))
        st.html(joined(rows))
        for warning in preview.warnings[:3]:
            show_caption(_("Note: {note}", note=_(warning)))
        return True
    return False


def _import_or_keep(
    file: NamedBytes, mapping: FileMapping, key: str, *, is_read: bool
) -> None:
    """Draw the buttons that import by the mapping and that keep it as YAML."""
    state = library_state()
    text = mapping.to_yaml()
    with buttons_row():
        if main_button(
            _("Import"),
            f"map-import-{key}",
            ":material/download:",
            disabled=not is_read,
        ):
            state.mappings[state.mapped[key].shape] = mapping
            state.read([file], None, mapping)
            st.rerun()
        st.download_button(
            _("Keep the mapping"),
            lambda: text,
            f"{file_name(file.name.rpartition('.')[0])}.yaml",
            icon=":material/save:",
            key=f"map-keep-{key}",
            on_click="ignore",
        )
    with st.expander(_("The mapping as YAML")):
        st.code(text, language="yaml")
