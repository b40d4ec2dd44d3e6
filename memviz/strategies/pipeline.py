"""A pipeline of steps, as most programs at work have one."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from memviz.core.forms import Form, InTurn, OlderReads, Superseded
from memviz.core.memory import SUMMARIZED, Memory
from memviz.core.pieces import Messages, Piece, joined, messages, notes
from memviz.core.token_sums import FormSums
from memviz.core.translation import _, noop
from memviz.strategies.base import Effect, Move, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill, MemoryAmounts, measure_memory
from memviz.strategies.families import TOOLS
from memviz.strategies.parameters import (
    Parameter,
    free_text,
    summary_length,
    whole_number,
)
from memviz.strategies.pipeline_stops import (
    find_kept_messages,
    find_kept_results,
    find_whole_call,
)
from memviz.strategies.presets import Preset, preset_of
from memviz.strategies.step_numbers import OwnSteps
from memviz.strategies.steps import FIRST_STEPS, Step, steps_from


class Pipeline(Strategy):
    """Does several things in turn, each at a threshold of its own: clears results, shortens, drops, summarizes.

    Gains: what is cheap to lose goes first, so that a summary, which costs a call and breaks the prompt cache, is
    written late or never.

    Loses: what each of its steps loses; and where one step frees little, the next one fires right behind it.

    Hurts when: the thresholds lie close together, or what the last step keeps is nearly as much as what it fires at:
    then it summarizes at every request.

    Used by:
    - deepagents: cuts old arguments, then summarizes at 0.85 of the window and keeps 0.1 (read in deepagents 0.7.32)
    - LibreChat: shortens old results, clears them, then summarizes at 0.8 of the window (documentation of LibreChat)
    - Gemini CLI: clears old results, then summarizes at half of the window and asks once more what the summary leaves
      out (read in gemini-cli 0.61.0)
    - pydantic-ai-harness: supersedes older reads, clears old results, then summarizes (run with pydantic-ai-harness
      0.62.0)
    - Claude Code: summarizes near the end of the window, then brings the plan and up to five files back
      (documentation of Claude Code)
    - opencode: clears old results, and summarizes when the window is nearly full (read in an older copy of opencode)

    Steps stand one a line and are looked at in their order, before each request. A line says what is done, *at* which
    thresholds (reached, not passed; several are joined by *and* and *or*), what the step *keeps*, and how much has to
    go: "clear tool results at 0.5 of the window, keep 40,000 tokens, if 20,000 tokens go". Deeds are *clear tool
    results*, *shorten tool results to 500 characters* (or *messages*), *offload tool results over 10,000 characters to
    4,000* (the rest is stored, where a tool can read it), *cut arguments over 2,000 characters to 20*, *supersede older
    reads*, *drop thinking*, *drop*, *summarize*, *summarize and check* and *bring back the first user message and the
    plan and 5 files*. A share of the window is so many tokens, so that another window makes the whole pipeline larger
    or smaller.

    Thresholds count contents as they are sent now, the summary among them: a step sees what those before it freed.
    What is kept is counted whole, in tokens of results for a step about results; a share of the messages is rounded
    up, and the summary is one of them. Dropping and summarizing never part a result from its call: where the first
    message that stays is a result, its call stays too, and with *keep at most* both go. Before a request nothing is
    done behind a summary, for nobody knows its size before it is written.

    With *summarize and check* the summarizer is asked a second time, beside the messages and its summary, whether that
    leaves anything out. The second answer is the summary, and both calls are paid for; where either fails, nothing
    changes. The built-in model has nothing to add.

    A read is superseded once the same tool was called again with the same arguments, one of which names a file, or with
    the file alone: the whole file takes the place of its parts. A few words stand in its place, also while the newer
    one is the input. Other lines of a file are something else, and a tool counts as one that reads by its name, such
    as *Read*, *read_file* or *view*.

    What was summarized or dropped can be brought back whole, right behind the summary: the first user message, the
    newest result of a tool that plans (*TodoWrite*, *update_plan*), and the files that were read last, but for those
    that were read again since. *5 files of up to 5,000 tokens* leaves out larger ones, and *up to 20,000 tokens*, at
    the end of the line, what does not fit; the newest file counts first. Results come back with their calls.
    """

    title: ClassVar[str] = "Pipeline"
    reference: ClassVar[str] = (
        "The common form of deepagents, LibreChat, Gemini CLI and opencode"
    )
    order: ClassVar[int] = 12
    family: ClassVar[str] = TOOLS
    main_parameter: ClassVar[str] = "window_tokens"
    trigger: ClassVar[Trigger] = Trigger.REQUEST
    acts_unasked: ClassVar[bool] = True
    # Its steps are one program's: no grid says them.
    tried_at_first: ClassVar[bool] = False
    limits: ClassVar[str] = noop("everything that is sent, the summary among it")
    """The words for what the thresholds count."""

    steps: str | None = free_text(
        "What is done, one step a line, in this order. Empty: clear tool results at 0.5 of the window, keep 3 results; "
        "summarize at 0.8 of the window, keep 10 messages"
    )
    window_tokens: int = whole_number(
        128_000,
        "tokens",
        "The context window that the shares are of. Larger does everything later.",
        (4000, 200_000),
    )
    summary_words: int = summary_length()

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        assert self._steps  # noqa: S101 - read at once: a line that is no step is refused here

    @cached_property
    def _steps(self) -> tuple[Step, ...]:
        return steps_from(self.steps or FIRST_STEPS, self.window_tokens)

    @property
    def _preset(self) -> Preset | None:
        """The product that has these steps, if one has."""
        return preset_of(self.id, self.steps)

    @property
    def name(self) -> str:
        """The name of the product that has these steps, if one has."""
        return _(self.title if self._preset is None else self._preset.title)

    @property
    def _named_parameters(self) -> list[Parameter]:
        """The steps are said by the name of the product that has them, or by their own numbers."""
        named = []
        for parameter in super()._named_parameters:
            if parameter.name != "steps":
                named.append(parameter)
            elif self._preset is None:
                named.append(OwnSteps(**asdict(parameter)))
        return named

    @property
    def writes_notes(self) -> bool:
        """A summarizer is asked where a step summarizes."""
        return any(step.action == "summarize" for step in self._steps)

    def fill_of_summary(self, memory: Memory) -> Fill | None:
        """The tokens against the step that summarizes, if it counts tokens alone."""
        triggers = [step.trigger for step in self._steps if step.action == "summarize"]
        if not triggers or triggers[0] is None:
            return None
        amounts = self._measure_request(memory)
        headroom = triggers[0].judge(amounts).headroom
        if headroom is None or headroom.unit != "tokens":
            return None
        limit = amounts.tokens + headroom.amount - 1
        return Fill(amounts.tokens, limit, "tokens", self.limits) if limit else None

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """The effects of all steps that are due, each for the memory as those before leave it."""
        effects: list[Effect] = []
        amounts: MemoryAmounts | None = None
        for number, step in enumerate(self._steps, 1):
            if step.anchors is not None:
                continue
            reason: str | None = "before every request"
            if step.trigger is not None:
                amounts = amounts or self._measure_request(memory)
                verdict = step.trigger.judge(amounts)
                reason = verdict.reason if verdict.is_over else None
            if reason is None:
                continue
            effect = self._plan_step(number, step, memory, reason)
            if effect is None:
                continue
            effects.append(effect)
            if isinstance(effect, Write):
                break
            # The next step sees the memory as this one leaves it.
            memory = memory.moved(effect.mark, effect.to)
            amounts = None
        return tuple(effects)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Return the kept first user message, the summary, what is brought back, and the history in its forms."""
        pieces: list[Piece] = []
        first = self._first_user_message(memory)
        if first is not None:
            pieces.append(Messages(first, first + 1))
        pieces += notes(memory.newest_summary)
        pieces += map(messages, self._find_brought_back(memory))
        pieces += self._reduce_history(memory)
        return tuple(pieces)

    def _first_user_message(self, memory: Memory) -> int | None:
        """Return the position of the first user message if it was taken out and a step keeps it, else ``None``."""
        if not any(step.keeps_first_user_message for step in self._steps):
            return None
        if not memory.log.turn_count:
            return None
        first = memory.log.turn_start(1)
        return first if first < memory.cursor else None

    def _find_brought_back(self, memory: Memory) -> list[range]:
        """Return the messages that steps bring back of those taken out, without a kept first user message."""
        if memory.cursor == memory.history_start:
            return []
        groups: list[range] = []
        for step in self._steps:
            if step.anchors is not None:
                groups += step.anchors.find_in(memory)
        first = self._first_user_message(memory)
        return joined(group for group in groups if group.start != first)

    def _reduce_history(self, memory: Memory) -> list[Messages]:
        """Return the messages that were not taken out, each in the forms of all steps whose mark is behind it."""
        marks: dict[int, int] = {}
        bounds = {memory.cursor, memory.length}
        for number, step in enumerate(self._steps, 1):
            if step.form is not None:
                mark = memory.mark(_name_mark(number))
                marks[number] = mark
                if memory.cursor < mark < memory.length:
                    bounds.add(mark)
        history = []
        for start, stop in pairwise(sorted(bounds)):
            numbers = [number for number, mark in marks.items() if mark >= stop]
            form = self._combine_forms(numbers, start, memory)
            history.append(Messages(start, stop, form))
        return history

    def _combine_forms(
        self, numbers: Sequence[int], start: int, memory: Memory
    ) -> Form | None:
        """Return the one form in which the steps of these numbers send the messages from ``start`` on."""
        all_forms: list[Form] = []
        other_forms: list[Form] = []
        length = memory.history_start
        for number in numbers:
            form = self._steps[number - 1].form
            assert form is not None  # noqa: S101 - only what has a form has a mark
            all_forms.append(form)
            if isinstance(form, OlderReads):
                length = memory.mark(_name_mark(number))
            else:
                other_forms.append(form)
        rest = _chain_forms(tuple(other_forms))
        older = _chain_forms(tuple(all_forms))
        if older == rest or not memory.log.file_reads().has_older(start, length):
            return rest
        assert older is not None  # noqa: S101 - a form that is not the rest is one
        return Superseded(length, older, rest)

    def _measure_request(self, memory: Memory) -> MemoryAmounts:
        """Return the amounts of the request that would be sent now, without the system prompt."""
        versions = memory.newest_summary
        tokens = memory.space.summaries.tokens(versions.start, versions.stop)
        extra_messages = len(versions)
        first = self._first_user_message(memory)
        if first is not None:
            extra_messages += 1
            tokens += memory.sums.between(first, first + 1)
        for part in self._find_brought_back(memory):
            extra_messages += len(part)
            tokens += memory.sums.between(part.start, part.stop)
        for piece in self._reduce_history(memory):
            sums = memory.log.token_sums(memory.sums.counter, piece.form)
            tokens += sums.between(piece.start, piece.stop)
        amounts = measure_memory(memory)
        return amounts._replace(
            tokens=tokens, messages=amounts.messages + extra_messages
        )

    def _plan_step(
        self, number: int, step: Step, memory: Memory, reason: str
    ) -> Effect | None:
        """Return the effect of a step that is due; ``None`` if nothing can go."""
        if step.form is not None:
            return self._plan_reduction(number, step, step.form, memory, reason)
        at_most = any(keep.at_most for keep in step.keeps)
        stop = find_whole_call(memory, self._find_stop(step, memory), at_most=at_most)
        if stop <= memory.cursor:
            return None
        if memory.sums.between(memory.cursor, stop) < step.least_tokens:
            return None
        if step.action == "summarize":
            return Write.up_to(memory, stop, reason, is_checked=step.is_checked)
        going = range(memory.cursor, stop)
        return Move(SUMMARIZED, stop, "evicted", reason, going)

    def _plan_reduction(
        self, number: int, step: Step, form: Form, memory: Memory, reason: str
    ) -> Move | None:
        """Return the move of a step's mark up to the first message that the step leaves alone, if any message changes.

        The step sends all messages before its mark in a reduced form. A step that supersedes older reads moves its mark
        behind the newest message, the input too, once a file was read again.
        """
        mark = memory.mark(_name_mark(number))
        start = max(mark, memory.cursor)
        sums = memory.log.token_sums(memory.sums.counter, form)
        if isinstance(form, OlderReads):
            stop = memory.length
            reads = memory.log.file_reads().superseded_since(mark, stop)
            changed = [position for position in reads if position >= memory.cursor]
            behind_changed = max(changed, default=0) + 1
        else:
            stop = behind_changed = self._find_stop(step, memory)
            assert isinstance(sums, FormSums)  # noqa: S101 - those of a form are
            changed = [*sums.changed_in(start, stop)] if start < stop else []
        if not changed:
            return None
        if step.least_tokens:
            whole = (memory.sums.between(at, at + 1) for at in changed)
            reduced = (sums.between(at, at + 1) for at in changed)
            if sum(whole) - sum(reduced) < step.least_tokens:
                return None
        going = range(min(changed), behind_changed)
        return Move(_name_mark(number), stop, form.fate, reason, going)

    def _find_stop(self, step: Step, memory: Memory) -> int:
        """Return the first position that a step leaves alone."""
        stops = [memory.before_input]
        for keep in step.keeps:
            of_results = step.is_about_results and keep.unit == "tokens"
            if of_results or keep.unit == "results":
                stops.append(find_kept_results(memory, keep))
            else:
                stops.append(find_kept_messages(memory, keep))
        return max(memory.history_start, min(stops))


def _name_mark(number: int) -> str:
    return f"step {number}"


def _chain_forms(forms: tuple[Form, ...]) -> Form | None:
    """Return one form that applies all ``forms`` in order; ``None`` for no forms."""
    if len(forms) < 2:
        return forms[0] if forms else None
    return InTurn(forms)
