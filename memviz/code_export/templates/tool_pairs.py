"""Tool calls and their results, which providers take only together."""


def without_halves(log: list[dict], chosen: set[int]) -> set[int]:
    """Without tool calls and tool results whose other half is not sent: providers refuse them."""
    open_calls: list[tuple[str, int]] = []
    results: dict[int, list[int]] = {}
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
    whole: set[int] = set()
    for caller, answers in results.items():
        if len(answers) == len(log[caller]["tool_calls"]) and {caller, *answers} <= chosen:
            whole |= {caller, *answers}
    return {i for i in chosen if i in whole or not (log[i].get("tool_calls") or log[i]["role"] == "tool")}
