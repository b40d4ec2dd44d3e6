"""The places that lessons come from: those that come with memviz, files, and those saved in the database."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from math import inf
from pathlib import Path

from memviz.core.errors import LessonError
from memviz.core.text.wording import listed
from memviz.core.translation import _
from memviz.dashboard.lessons.fields import MAX_BYTES
from memviz.dashboard.lessons.lesson import Lesson, Step
from memviz.dashboard.lessons.reading import read_lesson
from memviz.storage.store import Store

SUFFIX = ".yaml"
LESSONS_KEPT = 200
_PACKAGE = files("memviz.dashboard.lessons")
_FOLDER = _PACKAGE / "bundled"


class BundledLessons(Mapping[str, Lesson]):
    """The bundled lessons by id, which is the name of the file, in the order in which they are learned from. Each is
    read once, when asked for."""

    def __init__(self) -> None:
        names = [entry.name for entry in _FOLDER.iterdir()] if _FOLDER.is_dir() else []
        files = [name for name in names if name.endswith(SUFFIX)]
        self._ids = sorted(name.removesuffix(SUFFIX) for name in files)

    def __getitem__(self, id: str) -> Lesson:
        if id not in self._ids:
            raise LessonError(
                id,
                _(
                    "there is no such lesson; the bundled ones are {ids}.",
                    ids=listed(self._ids),
                ),
            )
        return _read_bundled_lesson(id)

    def __contains__(self, id: object) -> bool:
        return id in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._ids, key=lambda id: lesson_sort_key(self[id])))

    def __len__(self) -> int:
        return len(self._ids)


def lesson_sort_key(lesson: Lesson) -> tuple[float, str]:
    """Return what lessons are sorted by: those that say where they stand come first."""
    return (inf if lesson.order is None else lesson.order, lesson.id)


@cache
def _read_bundled_lesson(id: str) -> Lesson:
    return read_lesson(content_of(id), id + SUFFIX, id)


def content_of(id: str) -> bytes:
    """The file of a bundled lesson."""
    return (_FOLDER / (id + SUFFIX)).read_bytes()


@cache
def bundled_lessons() -> BundledLessons:
    """The bundled lessons."""
    return BundledLessons()


@cache
def classic_effects() -> tuple[Step, ...]:
    """The ten classic effects: each a view with a sentence, and the claims that hold its figures."""
    name = "classic_effects.yaml"
    return read_lesson((_PACKAGE / name).read_bytes(), name).steps


def find_lesson(id: str, store: Store) -> Lesson | None:
    """The bundled or saved lesson of this id, ``None`` where there is none. Raises :class:`memviz.LessonError` for a
    saved one that cannot be read."""
    if id in bundled_lessons():
        return bundled_lessons()[id]
    text = store.kept("lesson", id)
    return None if text is None else _read_text(text, id)


@lru_cache(LESSONS_KEPT)
def _read_text(text: str, id: str) -> Lesson:
    """A saved lesson. Kept, for a page reads all of them whenever it is drawn."""
    return read_lesson(text, id, id)


def saved_lessons(store: Store) -> tuple[dict[str, Lesson], list[str]]:
    """The lessons of the database by id, the newest first, and a sentence for each that cannot be read."""
    lessons = dict[str, Lesson]()
    problems = list[str]()
    for id in store.kept_keys("lesson"):
        try:
            lessons[id] = _read_text(store.kept("lesson", id) or "", id)
        except LessonError as error:
            problems.append(str(error))
    return lessons, problems


def lesson_of(id_or_path: str | Path) -> Lesson:
    """The bundled lesson of this id, or the one in this file. Raises :class:`memviz.LessonError`."""
    if isinstance(id_or_path, str) and id_or_path in bundled_lessons():
        return bundled_lessons()[id_or_path]
    path = Path(id_or_path)
    try:
        with path.open("rb") as file:
            content = file.read(
                MAX_BYTES + 1
            )  # no more: the path may be that of a device that never ends
    except FileNotFoundError:
        ids = listed(bundled_lessons())
        raise LessonError(
            str(path),
            _("there is no such file, and no such lesson among {known}.", known=ids),
        ) from None
    except (OSError, ValueError) as error:
        raise LessonError(
            str(path), _("cannot be read ({error}).", error=error)
        ) from None
    return read_lesson(content, path.name, path.stem.lower())
