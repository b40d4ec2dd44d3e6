"""One question at the end of a run, which stays as it is."""

from collections.abc import Sequence

from memviz.core.errors import MessageError
from memviz.core.messages import Message
from memviz.core.translation import _
from memviz.engine.answering import Answering, allowed_tools
from memviz.engine.recall import Recall
from memviz.engine.records import TurnRecord
from memviz.engine.replay import as_model
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.models.base import Model
from memviz.models.registry import model as find_model


def ask(
    run: Run,
    question: str,
    *,
    model: Model | str = "offline",
    summarizer: Model | str | None = None,
    recalls: Sequence[Recall] = (),
    recall_tool: bool | None = None,
) -> TurnRecord:
    """Ask ``question`` as the message after the last one of ``run``. The run stays as it is.

    Returns the record of that one turn: its ``reply``, and in its ``context`` what the model was sent, the
    same as a chat would send; what the run of a chat has pinned and recalled for its next request is in it.
    ``summarizer`` is asked only if the question makes the strategy summarize first; by default the chat
    model is. Raises :class:`MessageError` for an empty question and a :class:`memviz.core.model_errors.ModelError`
    where the model fails.
    """
    if not isinstance(question, str) or not question.strip():
        raise MessageError(_("The question is empty. Write something to ask."))
    answerer = find_model(model) if isinstance(model, str) else model
    session = Session.resume(
        run, as_model(summarizer) or answerer, repair_tool_pairs=True
    )
    # The summary of a stopped reply has waited for the next message.
    session.catch_up(len(session.log))
    session.log.append(Message("user", question))
    session.advance(len(session.log))
    due = (*run.pinned, *run.waiting) if run.strategy.allows_recall else ()
    allowed = allowed_tools(run.strategy, answerer, recall_tool)
    answering = Answering(session, answerer, (*due, *recalls), allowed)
    for _said in answering.stream():
        pass
    return answering.finish()
