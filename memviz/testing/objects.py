"""Memories of any kind behind one question: the messages that came since the last request go in, what the next request
would send comes out. An object is known by its methods; nothing of its library is imported before it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import isawaitable, iscoroutinefunction
from itertools import takewhile
from typing import Any, NamedTuple

from memviz.core.errors import MemvizError
from memviz.core.messages import Message
from memviz.strategies.langchain_messages import as_langchain
from memviz.strategies.library import run_to_end

Question = Callable[[Sequence[Any], Sequence[Any]], Any]
"""Gets the new messages, and all messages so far; returns what would be sent, as the object says it."""

PUTS = ("put", "append", "add_message", "add")
"""Methods that take the next message, the first of them that an object has."""
GETS = ("get", "load", "get_messages", "messages")
"""Methods or attributes that give what is sent; an object with none of them is gone through, as a list is."""
LANGCHAIN = ("langchain", "langgraph", "langmem")
LLAMA_INDEX = ("llama_index",)


class UnknownMemoryError(MemvizError):
    """An object under test is no memory of a known kind, or cannot begin a second conversation."""

    def __init__(self, memory: object, problem: str) -> None:
        name = type(memory).__qualname__
        super().__init__(f"An object of the type {name} cannot be tested: {problem}")


class MemoryObject(NamedTuple):
    """An object under test, and how it is talked to."""

    ask: Question
    shape: Callable[[Message, int], Any]
    """Makes a message of the object's kind of one of the log, and its position there."""
    takes_prompt: bool
    """True if the system prompt is handed to it among the messages, as to a list that is sent as it is."""


def memory_object(memory: Any) -> MemoryObject:
    """Return how to talk to ``memory``. Raises :class:`UnknownMemoryError`."""
    shape = _message_shape(memory)
    if hasattr(memory, "before_model") or hasattr(memory, "wrap_model_call"):
        return MemoryObject(_Middleware(memory).ask, as_langchain_at, True)
    if hasattr(memory, "save_context") and hasattr(memory, "load_memory_variables"):
        return MemoryObject(_Exchanges(memory).ask, _as_it_is, False)
    # Chat engines and agents of the two libraries keep the system prompt to themselves.
    is_of_library = shape in (as_langchain_at, _as_llama_index)
    put = _find_method(memory, PUTS)
    get = _find_method(memory, GETS) or getattr(memory, "__iter__", None)
    if put is not None and get is not None:
        return MemoryObject(_put_and_get(put, get), shape, not is_of_library)
    invoke = getattr(memory, "invoke", memory)
    if callable(invoke):
        return MemoryObject(
            lambda new, whole: await_answer(invoke([*whole])), shape, True
        )
    raise UnknownMemoryError(
        memory,
        "it has neither put and get, append and load, add_message and messages, save_context and "
        "load_memory_variables, before_model, wrap_model_call nor invoke, and cannot be called with the messages.",
    )


def messages_of(answer: Any) -> list[tuple[Message, Any]]:
    """Return what an object would send as messages, each beside what it was made of.

    A text is one system message; of a dictionary, such as ``{"history": "Human: Hi"}``, the values are meant.
    """
    if isinstance(answer, str):
        return [(Message("system", answer), answer)] if answer.strip() else []
    if isinstance(answer, Mapping) and "role" not in answer:
        answer = answer.values()
    # Messages of pydantic can be gone through like lists.
    is_message = isinstance(answer, Mapping) or hasattr(answer, "content")
    if is_message or not isinstance(answer, Iterable):
        return [(Message.of(answer), answer)]
    return [pair for item in answer for pair in messages_of(item)]


def await_answer(answer: Any) -> Any:
    """Return the answer of a method, awaited where that is needed."""

    async def wait() -> Any:
        return await answer

    return run_to_end(wait()) if isawaitable(answer) else answer


def _put_and_get(put: Callable[[Any], Any], get: Callable[[], Any]) -> Question:
    def ask(new: Sequence[Any], whole: Sequence[Any]) -> Any:
        for message in new:
            await_answer(put(message))
        return await_answer(get())

    return ask


def _find_method(memory: Any, names: Iterable[str]) -> Any:
    """Return the first method of these names that ``memory`` has, or one that gives its attribute; else ``None``."""
    for name in names:
        if callable(getattr(memory, name, None)):
            return getattr(memory, name)
        if hasattr(memory, name):
            return partial(getattr, memory, name)
    return None


class _Middleware:
    """A middleware of LangChain, with the state that an agent would keep for it."""

    def __init__(self, middleware: Any) -> None:
        self._types = import_module("langchain.agents.middleware.types")
        self._kinds = import_module("langchain_core.messages")
        self._add_messages = import_module("langgraph.graph.message").add_messages
        self._before = self._own_method(middleware, "before_model")
        self._wrap = self._own_method(middleware, "wrap_model_call")
        self._prompt: Any = None
        """The system prompt, which stands beside the state in a request."""
        self._state: list[Any] | None = None
        if self._before is None and self._wrap is None:
            raise UnknownMemoryError(
                middleware, "it has neither before_model nor wrap_model_call."
            )

    def _own_method(self, middleware: Any, name: str) -> Any:
        """Return the method of this name, or its async twin, of which the base class has only one that does nothing."""
        for method in (name, f"a{name}"):
            own_method = getattr(type(middleware), method, None)
            if own_method is not getattr(self._types.AgentMiddleware, method, None):
                return getattr(middleware, method)
        return None

    def ask(self, new: Sequence[Any], whole: Sequence[Any]) -> Any:
        """Return the system prompt and the messages of the request that the middleware hands on to the model."""
        # LangChain's agents take the system prompt beside the messages.
        if self._state is None:
            prompts = [*takewhile(lambda message: message.type == "system", new)]
            new = new[len(prompts) :]
            text = "\n\n".join(prompt.content for prompt in prompts)
            self._prompt = self._kinds.SystemMessage(text) if prompts else None
        self._state = [*(self._state or ()), *new]
        if self._before is not None:
            update = await_answer(self._before({"messages": self._state}, None))
            if update and "messages" in update:
                self._state = self._add_messages(self._state, update["messages"])
        if self._wrap is None:
            return self._with_prompt(self._prompt, self._state)
        # The middleware wraps the call of the model: a model that only notes what it is asked shows the request.
        messages_sent: list[Any] = []

        def answer(request: Any) -> Any:
            messages_sent[:] = self._with_prompt(
                request.system_message, request.messages
            )
            return self._types.ModelResponse(result=[self._kinds.AIMessage("")])

        async def answer_later(request: Any) -> Any:
            return answer(request)

        request = self._types.ModelRequest(
            model=None,
            system_message=self._prompt,
            messages=[*self._state],
            state={"messages": self._state},
        )
        is_async = iscoroutinefunction(self._wrap)
        await_answer(self._wrap(request, answer_later if is_async else answer))
        return messages_sent

    def _with_prompt(self, prompt: Any, messages: Sequence[Any]) -> list[Any]:
        return [*messages] if prompt is None else [prompt, *messages]


@dataclass(eq=False, repr=False)
class _Exchanges:
    """A memory of the older LangChain, which takes a question and its answer together."""

    memory: Any
    _question: str = ""

    def ask(self, new: Sequence[Message], whole: Sequence[Message]) -> Any:
        """Return the history that stands in the prompt, and behind it what is asked now."""
        for message in new:
            # save_context takes a question together with its answer, so the question waits for that.
            if message.role == "user":
                self._question = message.content
            elif message.role == "assistant":
                self.memory.save_context(
                    {"input": self._question}, {"output": message.content}
                )
        history = self.memory.load_memory_variables({"input": self._question})
        return [*history.values(), *new[-1:]]


def _message_shape(memory: Any) -> Callable[[Message, int], Any]:
    """Return how messages are made for ``memory``: of the library that it or a base of its class is from, else
    dictionaries with ``role`` and ``content``."""
    inner = unwrap_callable(memory)
    kinds = [inner] if hasattr(inner, "__qualname__") else type(inner).__mro__
    packages = {str(kind.__module__).partition(".")[0] for kind in kinds}
    if any(package.startswith(LANGCHAIN) for package in packages):
        return as_langchain_at
    if not packages.isdisjoint(LLAMA_INDEX):
        return _as_llama_index
    return _as_it_is if "memviz" in packages else _as_dictionary


def unwrap_callable(memory: Any) -> Any:
    """Return the function that ``functools.partial``, and what LangChain makes of a function, stand for."""
    while hasattr(memory, "func"):
        memory = memory.func
    return memory


def as_langchain_at(message: Message, position: int) -> Any:
    """Return the message as LangChain's, with its position as its id."""
    return as_langchain(message, str(position))


def _as_llama_index(message: Message, position: int) -> Any:
    from memviz.storage.llama_index_memory import as_chat_message

    return as_chat_message(message)


def _as_it_is(message: Message, position: int) -> Any:
    return message


def _as_dictionary(message: Message, position: int) -> Any:
    return message.to_request()
