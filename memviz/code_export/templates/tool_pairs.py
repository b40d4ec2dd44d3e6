"""Tool calls and their results, which providers take only together."""


def find_calls(log: list[dict]) -> dict[int, tuple[int, int] | None]:
    """Return the call that each tool result answers: its message and its number there, or None where there is none."""
    open_calls: list[tuple[int, int]] = []
    call_of_result: dict[int, tuple[int, int] | None] = {}
    for position, message in enumerate(log):
        for number in range(len(message.get("tool_calls") or ())):
            open_calls.append((position, number))
        if message["role"] == "tool":
            call_of_result[position] = None
            call_id = message.get("tool_call_id")
            for caller, number in reversed(open_calls):
                if not call_id or log[caller]["tool_calls"][number]["id"] == call_id:
                    open_calls.remove((caller, number))
                    call_of_result[position] = (caller, number)
                    break
    return call_of_result


def repair_tool_pairs(log: list[dict], chosen: set[int], asked: range) -> list[dict]:
    """Return the chosen messages and the open question, without tool calls and results whose other half is not sent.

    Providers refuse such halves. The text beside a call stays. The question is always sent, so if it is the result of
    a tool, its call is sent as well.
    """
    call_of_result = find_calls(log)
    calls = {result: call for result, call in call_of_result.items() if call}
    sent = chosen | set(asked) | {calls[position][0] for position in asked if position in calls}
    uncalled = set(call_of_result) - set(calls)
    if uncalled.issuperset(asked):  # something has to be sent
        uncalled -= set(asked)
    sent -= uncalled
    sent -= {result for result, (caller, _) in calls.items() if caller not in sent}
    messages = []
    for position in sorted(sent):
        message = log[position]
        if not message.get("tool_calls"):
            messages.append(message)
            continue
        answered = {calls[result] for result in calls if result in sent}
        kept = keep_tool_calls(message, {number for caller, number in answered if caller == position})
        if kept:
            messages.append(kept)
    return messages


def keep_tool_calls(message: dict, numbers: set[int]) -> dict | None:
    """Return the message with only these of its tool calls, or None if nothing is left of it."""
    calls = [call for number, call in enumerate(message["tool_calls"]) if number in numbers]
    if len(calls) == len(message["tool_calls"]):
        return message
    if not calls and not message["content"].strip():
        return None
    kept = {key: message[key] for key in ("role", "content", "name") if key in message}
    if calls:
        kept["tool_calls"] = calls
    return kept
