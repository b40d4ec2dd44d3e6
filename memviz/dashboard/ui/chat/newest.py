"""The newest of the talk comes into view when it changes: a message, a reply, a summary to decide on, an error.

The box follows what is added only as long as it stands at its end, and to recall an early turn one scrolls up.
"""

from __future__ import annotations

import streamlit as st

from memviz.dashboard.ui.chat.desk import ChatDesk

_JS = """
const WAITS_MS = [0, 100, 300, 700]  // what is drawn with the change may arrive a little later

export default function ({ parentElement, data }) {
  let box = parentElement.getRootNode().host ?? parentElement
  while (box && !/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement
  if (!box || box.dataset.newest === data.newest) return
  box.dataset.newest = data.newest
  let put = -1  // who scrolls up meanwhile is left alone
  for (const wait of WAITS_MS) {
    setTimeout(() => {
      if (box.scrollTop < put - 1 && box.scrollTop + box.clientHeight < box.scrollHeight - 1) put = Infinity
      if (put === Infinity) return
      box.scrollTop = box.scrollHeight
      box.scrollIntoView({ block: "nearest" })
      put = box.scrollTop
    }, wait)
  }
}
"""
_bring_into_view = st.components.v2.component("memviz_newest", js=_JS)


def show_newest(desk: ChatDesk) -> None:
    """Scroll the box that this stands in to its end if there is something new in the talk."""
    _bring_into_view(data={"newest": _newest(desk)}, key="chat-newest")


def _newest(desk: ChatDesk) -> str:
    """What tells the newest of the talk from that before; a change of the setting or of a recall does not."""
    state, chat = desk.state, desk.chat
    drafts = len(chat.proposal.drafts) if chat.proposal is not None else -1
    waits = state.going_on or state.retrying or state.draft_with is not None
    return f"{state.opened} {len(chat.log)} {drafts} {waits} {state.error or ''}"
