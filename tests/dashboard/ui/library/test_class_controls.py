"""The QR code of a class: its modules are those of the encoder, within the light edge that readers need."""

from __future__ import annotations

import re

import segno

from memviz.dashboard.ui.library.class_controls import QUIET_MODULES, qr_code

LINK = "http://192.168.1.5:8501/door#maple%20street"


def test_the_svg_has_each_dark_module_once_and_a_light_edge() -> None:
    svg = qr_code(LINK)
    rows = segno.make(LINK, micro=False).matrix
    drawn = {
        (int(x) - QUIET_MODULES, int(y) - QUIET_MODULES)
        for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg)
    }
    dark = {
        (x, y) for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark
    }
    assert drawn == dark
    side = len(rows) + 2 * QUIET_MODULES
    assert f'viewBox="0 0 {side} {side}"' in svg
