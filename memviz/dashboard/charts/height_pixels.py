"""The heights of pictures in pixels: with letters, axes and legends, unless a name says
``ROWS`` or ``PLOT``. A page takes the height of its picture from here, or from the
figure."""

TOKENS = 460
"""The chart of tokens per turn where nothing stands beside it."""
TOKENS_ABOVE_PLAYER = 334
TOKENS_BESIDE_CHAT = 320
DOLLARS = 320
CACHE_AND_WINDOW = 330
"""The charts of what was read from the cache, and of how full the window was."""
PARTS_OF_REQUESTS = 420
PARTS_OF_ONE_REQUEST = 140
SAID_AND_SENT = 260

MAP_ROWS = 400
MAP_ROWS_BESIDE_OTHERS = 200
MAP_ROWS_BESIDE_MANY = 160
"""All rows of a memory map together, at most."""

LIVES_ROWS = 345
"""All rows of the lives of facts together, as long as none becomes too low to be read."""
FACTS_BY_PLACE = 240
SURVIVAL = 350

SUMMARIES_OVER_TURNS = 390
SUMMARIES_IN_NUMBERS = 270

PARETO = 500
PARAMETER_PLOT = 150
DISTRIBUTION_ROW = 62
"""A setting with its name, in the chart of distributions."""
CELL = 46
"""A cell of the map of two parameters."""

NEEDLES = 420
"""The map of one sentence in texts, of five rows."""

ANSWER_ROW = 20
"""A question in the grid of answers."""

FILE = 500
"""A picture that is written to a file, unless somebody asks for another height."""

LEGEND_ROW = 28
SETTINGS_IN_ROOM = 3
"""The height of a row of a legend, and the number of settings that a chart has room for without more height."""


def add_legend_height(pixels: int, settings: int) -> int:
    """Return the height of a picture of ``pixels`` where it shows so many settings: on a phone each has a row of the
    legend, which is to take no room from the lines."""
    return pixels + LEGEND_ROW * max(0, settings - SETTINGS_IN_ROOM)
