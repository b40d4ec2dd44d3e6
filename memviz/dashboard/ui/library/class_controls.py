"""The class in the sidebar of the Library: its address and code for the projector, and the sign-out."""

import streamlit as st
from markupsafe import Markup

from memviz.core.translation import _, noop
from memviz.dashboard.markup import element
from memviz.dashboard.ui.shell.elements import button, popup
from memviz.dashboard.ui.shell.server.checks import (
    asks_to_sign_in,
    class_address,
    served_class,
    visitor_now,
)
from memviz.models.class_door import DOOR, ClassDoor, door_link

QUIET_MODULES = 4
"""The light edge that readers of QR codes need."""
QR_PIXELS = 400
SIGN_OUT = noop(
    "This browser forgets who you are, and nobody finds the way to your library again: it goes after 30 days. Back up "
    "first what you want to keep."
)


def class_controls() -> None:
    """Draw the sign-out of a visitor who signed in; in a class the sign-out of every visitor, and for teachers the
    button that shows its address and code."""
    if asks_to_sign_in() and button(
        _("Sign out"), "sign-out", ":material/logout:", width="stretch"
    ):
        st.logout()
    door = served_class()
    if door is None:
        return
    if visitor_now().is_teacher and button(
        _("Show the way in"), "way-in", ":material/qr_code_2:", width="stretch"
    ):
        _show_join_code(door)
    with popup(_("Sign out"), ":material/logout:", width="stretch"):
        st.text(_(SIGN_OUT))
        submit_button = element(
            "button", _("Sign out"), type="submit", name_="sign-out", value="1"
        )
        form = element(
            "form", submit_button, method="post", action=DOOR, class_="memviz-sign-out"
        )
        st.html(form)


def _show_join_code(door: ClassDoor) -> None:
    """Show the address and the code of the class over the whole page, as large as a projector needs them."""
    address = class_address()

    @st.dialog(_("The way into the class"), width="large")
    def show() -> None:
        st.html(
            element(
                "div",
                element("p", address),
                element("p", _("Code of the class")),
                element("p", element("strong", door.code)),
                class_="memviz-way-in",
            )
        )
        link = door_link(address, door.code)
        with st.container(horizontal_alignment="center"):
            # An image: of an element in HTML Streamlit would leave nothing.
            st.image(qr_code(link), width=QR_PIXELS, alt=link)

    show()


def qr_code(text: str) -> Markup:
    """Return a QR code of ``text`` as an SVG image, dark on light in every theme."""
    import segno  # only a teacher's click needs it

    rows = segno.make(text, micro=False).matrix
    dark_modules = []
    for y, row in enumerate(rows):
        for x, is_dark in enumerate(row):
            if is_dark:
                dark_modules.append(f"M{x + QUIET_MODULES} {y + QUIET_MODULES}h1v1h-1z")
    side = str(len(rows) + 2 * QUIET_MODULES)
    return element(
        "svg",
        element("rect", width=side, height=side, fill="#fff"),
        element("path", d="".join(dark_modules), fill="#000"),
        viewBox=f"0 0 {side} {side}",
        xmlns="http://www.w3.org/2000/svg",
    )
