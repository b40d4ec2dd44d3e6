"""Tool calls and their results, which providers take only together."""


def in_pairs(log: list[dict], chosen: set[int], asked: range) -> list[dict]:
    """The chosen messages and what was asked last, without tool calls and tool results whose other half is not sent:
    providers refuse them. The text beside such a call stays. What was asked is always sent, so the call that it answers
    goes along with it."""
    open_calls: list[tuple[int, int]] = []  # message and number of the call in it
    caller_of: dict[int, int] = {}
    answered: dict[int, dict[int, int]] = {}  # message with calls -> its results -> number of the call
    uncalled: set[int] = set()
    for i, message in enumerate(log):
        if message.get("tool_calls"):
            answered[i] = {}
            open_calls += [(i, number) for number in range(len(message["tool_calls"]))]
        elif message["role"] == "tool":
            id = message.get("tool_call_id")
            fitting = [call for call in open_calls if not id or log[call[0]]["tool_calls"][call[1]]["id"] == id]
            if fitting:
                open_calls.remove(fitting[-1])
                caller_of[i] = fitting[-1][0]
                answered[fitting[-1][0]][i] = fitting[-1][1]
            else:
                uncalled.add(i)
    sent = chosen | set(asked) | {caller_of[i] for i in asked if i in caller_of}
    sent -= uncalled - set(asked) if uncalled >= set(asked) else uncalled
    sent -= {i for i, caller in caller_of.items() if caller not in sent}
    messages = []
    for i in sorted(sent):
        message = log[i]
        if i in answered:
            numbers = {number for result, number in answered[i].items() if result in sent}
            calls = [call for number, call in enumerate(message["tool_calls"]) if number in numbers]
            if not calls and not message["content"].strip():
                continue
            if len(calls) < len(message["tool_calls"]):
                message = {key: message[key] for key in ("role", "content", "name") if key in message}
                message |= {"tool_calls": calls} if calls else {}
        messages.append(message)
    return messages
