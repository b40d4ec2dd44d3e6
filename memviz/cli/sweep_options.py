"""The options that only ``memviz sweep`` has."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from memviz.core.bounds import LARGEST_NUMBER, MAX_SECONDS

MAX_WORKERS = 1_000
"""Processes or threads: more than a machine can start."""


Conversations = Annotated[
    list[str],
    Argument(
        metavar="FILE_OR_ID...",
        help="Files (- is stdin), or ids of saved conversations.",
    ),
]
Strategies = Annotated[
    list[str] | None,
    Option(
        "--strategy",
        "-s",
        metavar="NAME[:PARAMETER=VALUES,...]",
        help="A strategy to try; can be repeated. VALUES: 2,4,8 or 500..4000/8, which is 8 round numbers between. "
        "A number in a pipeline's steps is named in words: 'pipeline:step 2 keep N messages=5,10'. "
        "[default: the usual ones, with suggested values]",
    ),
]
Settings = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="PARAMETER=VALUES",
        help="Values for every strategy that has it; can be repeated.",
    ),
]
Number = Annotated[
    int | None,
    Option(
        "--conversation",
        metavar="N",
        min=1,
        help="Only this conversation of a file. [default: all]",
    ),
]
Counter = Annotated[
    str,
    Option(
        "--counter",
        metavar="NAME",
        help="o200k_base, cl100k_base, p50k_base, chars4 or bytes4.",
    ),
]
SummarizerName = Annotated[
    str,
    Option(
        "--summarizer",
        metavar="NAME",
        help="Who summarizes: offline (the built-in model), recording:NAME, or "
        "provider/model, its key in the environment. That one costs money and needs a --budget.",
    ),
]
Concurrency = Annotated[
    int | None,
    Option(
        "--concurrency",
        metavar="N",
        min=1,
        max=MAX_WORKERS,
        help="Calls of a summarizer that costs money at once. [default: 4]",
    ),
]
PricesOf = Annotated[
    str, Option("--model", metavar="NAME", help="Whose prices count; it is not asked.")
]
SummarizerPricesOf = Annotated[
    str | None,
    Option(
        "--summarizer-model",
        metavar="NAME",
        help="Whose prices count for summaries. "
        "[default: --summarizer if it costs money, else --model]",
    ),
]
SummarizerPrices = Annotated[
    str | None,
    Option(
        "--summarizer-usd-per-million",
        metavar="IN,OUT",
        help="Prices for summaries, in place of list prices.",
    ),
]
Pause = Annotated[
    float,
    Option(
        "--pause",
        metavar="SECONDS",
        min=0.0,
        max=MAX_SECONDS,
        help="The user's pause between turns: caches live as long.",
    ),
]
Keep = Annotated[
    float,
    Option(
        "--keep",
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="The share of the facts that has to be kept.",
    ),
]
MaxPeak = Annotated[
    int | None,
    Option(
        "--max-peak",
        metavar="TOKENS",
        min=1,
        max=LARGEST_NUMBER,
        help="The largest request that is allowed.",
    ),
]
AllowRefused = Annotated[
    bool,
    Option(
        "--allow-refused",
        help="Also recommend settings whose requests a provider refuses, for a tool's result "
        "without its call or a call without its result.",
    ),
]
Worst = Annotated[
    bool,
    Option(
        "--worst",
        help="Judge facts and request size by the worst conversation, not by the one in the middle; costs are added.",
    ),
]
Workers = Annotated[
    int | None,
    Option(
        "--workers",
        metavar="N",
        min=1,
        max=MAX_WORKERS,
        help="Measure in so many processes.",
    ),
]
Dask = Annotated[
    bool,
    Option("--dask", help="Measure on a Dask cluster of --workers processes, here."),
]
Scheduler = Annotated[
    str | None,
    Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Measure on the Dask cluster at tcp://host:8786.",
    ),
]
Seconds = Annotated[
    float | None,
    Option(
        "--seconds",
        metavar="N",
        min=1.0,
        max=MAX_SECONDS,
        help="Measure what fits into so long: of each family of strategies the settings that tell most come first.",
    ),
]
NoKeep = Annotated[
    bool,
    Option(
        "--no-keep",
        help="Keep neither measurements nor answers: nothing is written to the library.",
    ),
]
All = Annotated[
    bool, Option("--all", help="Show every setting, not only those worth taking.")
]
Csv = Annotated[
    Path | None,
    Option(
        "--csv",
        metavar="OUT",
        help="Write a row for each setting and conversation as CSV; - is stdout.",
    ),
]
Code = Annotated[
    str | None,
    Option(
        "--code",
        metavar="TARGET",
        help="Export the recommended setting to code: memory_yaml, memviz_code, "
        "llamaindex, langchain_middleware, openai_agents or plain_python.",
    ),
]
Out = Annotated[
    Path | None,
    Option("--out", "-o", metavar="OUT", help="The file for --code. [default: stdout]"),
]
Write = Annotated[
    Path | None,
    Option(
        "--write",
        metavar="FOLDER",
        help="Measure thousands of conversations, read as a stream from files, folders or addresses such as "
        "s3://logs/*.parquet, and write a row for each conversation and setting as Parquet. The same command goes on "
        "with a sweep that was ended.",
    ),
]
Sample = Annotated[
    float,
    Option(
        "--sample",
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="With --write: take this share of the conversations.",
    ),
]
Seed = Annotated[
    int, Option("--seed", metavar="N", help="With --sample: which ones are taken.")
]
Requests = Annotated[
    bool, Option("--requests", help="With --write: also a row for each request.")
]
NoFacts = Annotated[
    bool,
    Option(
        "--no-facts",
        help="With --write: look for no facts, which takes most of the time.",
    ),
]
