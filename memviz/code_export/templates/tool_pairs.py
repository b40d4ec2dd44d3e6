"""Tool calls and their results, which providers take only together."""


def whole_pairs(log: list[dict], chosen: set[int], asked: range) -> set[int]:
    """The chosen messages and what was asked last, without tool calls and tool results whose other half is not sent:
    providers refuse them. What was asked is always sent, so the call that it answers goes along with it."""
    open_calls: list[tuple[str, int]] = []
    results: dict[int, list[int]] = {}
    uncalled: set[int] = set()
    for i, message in enumerate(log):
        if message.get("tool_calls"):
            results[i] = []
            open_calls += [(call["id"], i) for call in message["tool_calls"]]
        elif message["role"] == "tool":
            id = message.get("tool_call_id")
            match = next((call for call in reversed(open_calls) if not id or call[0] == id), None)
            if match:
                open_calls.remove(match)
                results[match[1]].append(i)
            else:
                uncalled.add(i)
    answered = {caller for caller, answers in results.items() if any(i in asked for i in answers)}
    whole = chosen | answered | set(asked)
    for caller, answers in results.items():
        is_whole = len(answers) == len(log[caller]["tool_calls"]) and {caller, *answers} <= whole
        if caller not in answered and not is_whole:
            whole -= {caller, *answers}
    return whole - (uncalled - set(asked) if uncalled >= set(asked) else uncalled)
