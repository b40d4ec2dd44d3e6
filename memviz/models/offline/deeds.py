"""Orders to do something, in the world or to a text: "Book the hotel", "Fix my schedule"."""

import re

from memviz.models.offline.sentence_starts import FOR_ME, starts

_SOMETHING = r"(?:an?|the|my|our|your|this|that|these|those|it|them|some|another|all|every|everything|two|three|\d+)\b"
_SOMEBODY = r"(?-i:[A-Z]\w+)(?=\Z| (?:an?|the|my|our|about|and|that|to|today|tomorrow|now|again|back)\b)"
_DEED = starts(
    r"(?:book|reserve|order|buy|purchase|rent|cancel|schedule|arrange|organi[sz]e|plan|prepare|fix|repair|mend|clean|build"
    r"|cook|bake|install|download|upload|print|publish|submit|sign|pay|transfer|refund|check|find|search|google|hire"
    r"|open|start|restart|launch|run|play|turn (?:on|off)|set up|fill (?:in|out)|sort(?: out)?|tidy(?: up)?|debug|test"
    rf"|proofread|improve|optimi[sz]e|shorten|review){FOR_ME}(?: for)? {_SOMETHING}",
    rf"(?:email|phone|text|message|invite|ring|contact) (?:{_SOMETHING}|{_SOMEBODY})",
    rf"call (?:{_SOMEBODY}|(?:the|my|our|an?) (?!.*(?-i:[A-Z])))",
    rf"(?:send|post|forward)(?: me| us| (?-i:[A-Z]\w+))? (?!it\b|them\b){_SOMETHING}",
    r"make(?: me| us)? (?:an?|some|another) (?!note\b)|set (?:an?|the) (?:alarm|timer|reminder)\b",
    r"remind (?:me|us) to\b",
    rf"help{FOR_ME}\b|(?:change|move|update|reschedule|correct|adjust|edit) {_SOMETHING}(?!.*(?: to |\d))",
    r"(?:buche?|reserviere?|bestelle?|kaufe?|storniere?|plane?|organisiere?|repariere?|putze?|koche?|schicke?|sende?"
    r"|rufe?|suche?|finde?|prüfe?|bezahle?|überweise?|drucke?|verbessere?|korrigiere?|mache?)"
    r"(?: (?:mir|uns|bitte|mal))* (?:den|die|das|dem|der|eine?[nmr]?|mein(?:e[nmr]?)?|unser(?:e[nmr]?)?|alle)\b",
    r"erinnere? (?:mich|uns) daran\b|hilf (?:mir|uns)\b",
    r"(?:你?帮我|你?替我|帮忙)?(?:预?订|买|取消|安排|修理?|发送?|打电话|约|检查|设置?)(?![的到号单着过好在])(?!.*[是为叫了花要元\d])",
)
"""What is to be done, in the world or to a text. A wish that holds a value or for good ("Move it to Friday", "Round to
four decimals from now on") is something to keep in mind."""
_REMINDER = starts(r"remind (?:me|us) to\b", r"erinnere? (?:mich|uns) daran\b")
_LOOK_UP = starts(
    r"(?:check|find|search for|show|get)(?: me| us)? (?:the|my|our)\b",
    r"(?:suche?|finde?|prüfe?) (?:den|die|das|mein|unser)",
)
_FOR_GOOD = re.compile(
    r"\b(?:always|never|from now on|in future|whenever|each time"
    r"|every (?:time|\w*day|week|month|year|morning|evening|night)|immer|nie|künftig)\b",
    re.IGNORECASE,
)


def is_deed(text: str) -> bool:
    """Whether ``text`` orders something to be done now. "Round to four decimals from now on" is to be kept in mind."""
    return _DEED.match(text) is not None and _FOR_GOOD.search(text) is None


def is_reminder(text: str) -> bool:
    """Whether it is an order to remind of something to do, not of something that was said."""
    return _REMINDER.match(text) is not None


def looked_up_in(text: str) -> str | None:
    """What an order names that may want no more than to look it up: the rent, of "Check my rent"."""
    match = _LOOK_UP.match(text)
    return match["rest"] if match else None
