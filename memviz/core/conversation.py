"""The append-only log of messages that every strategy reads and none may change."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memviz.core.counters import Counter
from memviz.core.file_reads import FileReads
from memviz.core.importance import ImportanceIndex
from memviz.core.messages import Message
from memviz.core.token_sums import FormSums, SupersededSums, TokenSums
from memviz.core.turns import MessageLog
from memviz.core.vectors import VectorIndex, VectorIndexes, VectorSource
from memviz.core.word_index import WordIndex

if TYPE_CHECKING:
    from memviz.core.forms import Form, Superseded


@dataclass(eq=False, repr=False)
class _Indexes:
    """Counts and indexes of the messages of a log."""

    _token_sums: dict[tuple[Counter, Form | None], TokenSums] = field(
        default_factory=dict
    )
    _newest_superseded: dict[Hashable, SupersededSums] = field(default_factory=dict)
    _words: WordIndex = field(default_factory=WordIndex)
    _vectors: VectorIndexes = field(default_factory=VectorIndexes)
    kept_vectors: VectorSource | None = None
    """Vectors that embedding models were asked for before, where they are kept."""
    _importance: ImportanceIndex = field(default_factory=ImportanceIndex)
    _file_reads: FileReads = field(default_factory=FileReads)


class Log(MessageLog, _Indexes):
    """The append-only conversation, with what is counted and looked up in it.

    Token sums, words and vectors are kept with the log, so that all strategies over it
    share them: no text is tokenized, split or embedded twice.
    """

    def __init__(self, messages: Iterable[Message | Mapping[str, Any]] = ()) -> None:
        _Indexes.__init__(self)
        super().__init__(messages)

    def form_at(self, position: int, form: Form | None) -> Form | None:
        """The form of the message at ``position`` in a stretch of ``form``. It is another one
        only in a :class:`~memviz.core.forms.Superseded`, where a read may be an older one."""
        superseded = None if form is None else form.superseded
        if superseded is None:
            return form
        is_older = self.file_reads().is_superseded(position, superseded.length)
        return superseded.older if is_older else superseded.others

    def sent(self, position: int, form: Form | None) -> Message:
        """The message at ``position`` as it is sent in ``form``."""
        message = self._messages[position]
        own_form = self.form_at(position, form)
        if own_form is None:
            return message
        return own_form.sent(message, self.answered_tool(position))

    def token_sums(self, counter: Counter, form: Form | None = None) -> TokenSums:
        """Running token sums of all messages under ``counter``, as a whole or in one form;
        each message is counted once."""
        if form is not None and form.superseded is not None:
            return self._superseded_sums(counter, form.superseded)
        key = (counter, form)
        sums = self._token_sums.get(key)
        if sums is None:
            sums = self._new_token_sums(counter, form)
            # Another thread may have been faster.
            sums = self._token_sums.setdefault(key, sums)
        sums.extend(self._messages)
        return sums

    def word_index(self) -> WordIndex:
        """The words of all messages, for looking up which hold those of a question; each
        message is read once."""
        self._words.extend(self._messages)
        return self._words

    def vector_index(self, model: str = "") -> VectorIndex:
        """The vectors of all messages by an embedding model, or by the small embedding of
        this machine; each message is embedded once.

        Raises :class:`MissingLibraryError` without wordllama, and what a
        :data:`memviz.core.vectors.VectorSource` raises.
        """
        index = self._vectors.of(model, self.kept_vectors)
        index.extend(self._messages)
        return index

    def importance_index(self) -> ImportanceIndex:
        """The importance of all messages; each is read once."""
        self._importance.extend(self._messages)
        return self._importance

    def file_reads(self) -> FileReads:
        """The results of tools that read files, and where they were read again."""
        self._file_reads.extend(self._messages, self._answered.get)
        return self._file_reads

    def _new_token_sums(self, counter: Counter, form: Form | None) -> TokenSums:
        if form is None:
            return TokenSums(counter)
        return FormSums(self.token_sums(counter), form, self.answered_tool)

    def _superseded_sums(self, counter: Counter, form: Superseded) -> TokenSums:
        """The sums of a form that changes each time that something is read again; of these
        forms only the newest is kept."""
        key = (counter, form.older, form.others)
        sums = self._newest_superseded.get(key)
        length = len(self._messages)
        if sums is None or sums.form != form or len(sums.totals) <= length:
            older = self.token_sums(counter, form.older)
            other_sums = self.token_sums(counter, form.others)
            superseded = self.file_reads().superseded(form.length)
            sums = SupersededSums(form, older, other_sums, superseded)
            self._newest_superseded[key] = sums
        return sums

    def prefix(self, length: int) -> Log:
        """A new log of the first ``length`` messages, with the token sums counted so far."""
        log = Log(self._messages[:length])
        # Another thread may count under a new form meanwhile.
        for (counter, form), sums in list(self._token_sums.items()):
            if form is None:
                log._token_sums[counter, form] = sums.prefix(length)
        log.kept_vectors = self.kept_vectors
        return log
