"""An output as HTML for a notebook: its numbers as plain text, and a frame with its charts and the animation.

The text takes the look of the notebook, and stays where a notebook is not trusted or is read on a page that shows no
frames. The frame is a whole HTML document in the attribute ``srcdoc``: no style of the notebook reaches into it and
none out of it, marimo runs its script as Jupyter does, and its policy lets a browser load nothing. It takes over light
or dark from where it stands. Charts are SVG: Plotly's script would add 4.7 MB to every notebook.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Template
from markupsafe import Markup

from memviz.core.messages import clean_text
from memviz.core.translation import _, language_now
from memviz.dashboard.charts.svg.drawing import draw_svg
from memviz.dashboard.charts.svg.legend import draw_legend
from memviz.dashboard.markup import element, joined
from memviz.dashboard.notebooks.outputs import Output, output_of
from memviz.dashboard.reporting.themes import html_environment
from memviz.dashboard.stage.files import own_text, script

CHART_WIDTH = 860
"""The width of a chart in its own pixels; a narrower notebook shows it smaller."""
STAGE_PIXELS = 430
LEGEND_PIXELS = 60
"""The height of the animation and of a legend: the frame has it until its script has measured its content, and keeps it
where a notebook does not let it."""
DOT = " · "
_PACKAGE = "memviz.dashboard.notebooks"


def html_of(value: object) -> str:
    """Return what a notebook shows of a value that :func:`output_of` knows."""
    output = output_of(value)
    text = element(
        "p",
        element("strong", output.title),
        Markup("<br>"),
        DOT.join(output.numbers),
    )
    parts = [text]
    if output.sentence:
        parts.append(element("p", output.sentence))
    if output.grounds:
        summary = element("summary", _("What this rests on"))
        parts.append(element("details", summary, " ".join(output.grounds)))
    if output.pictures:
        parts.append(_frame(output))
    # A plain text: marimo writes one of another type into its files as nothing.
    return str(element("div", *parts, class_="memviz-output"))


def _frame(output: Output) -> Markup:
    charts = []
    height = 0
    for figure, words in output.pictures:
        chart = draw_svg(figure, CHART_WIDTH, words)
        charts.append(joined([chart, draw_legend(figure)]))
        height += figure.layout.height + LEGEND_PIXELS
    if output.stage is not None:
        height += STAGE_PIXELS
    document = _template(has_stage=output.stage is not None).render(
        title=output.title,
        charts=charts,
        stage=output.stage,
        language=language_now(),
    )
    style = f"width:100%;height:{height}px;border:0;display:block"
    # In single quotes fewer characters have to be escaped than in double ones.
    source = clean_text(document).replace("&", "&amp;").replace("'", "&#39;")
    head = Markup('<iframe title="{}" style="{}" srcdoc=').format(output.title, style)
    return head + Markup(f"'{source}'></iframe>")  # noqa: S704 - made by the template, which escapes


@cache
def _template(*, has_stage: bool) -> Template:
    own_script = own_text(_PACKAGE, "frame.js")
    scripts = [script(), own_script] if has_stage else [own_script]
    environment = html_environment(
        _PACKAGE, "frame.css", scripts, images="data:", filters={}
    )
    return environment.get_template("frame.html")
