"""The kinds of facts that generated conversations hold, and the words that make each of them unique."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from memviz.transcripts.base import Category


class FactKind(NamedTuple):
    """How a fact is stated, one message for each statement, and asked for.

    ``{subject}``, ``{answer}``, ``{stale}`` and ``{person}`` stand for what is drawn; ``answer`` names
    the deck it is drawn from.
    """

    category: Category
    nouns: tuple[str, ...]
    statements: tuple[str, ...]
    question: str
    answer: str


PLACES = ("workshop", "cabin", "allotment", "boathouse", "archive")
EVENTS = ("reunion", "regatta", "excursion", "exhibition", "tasting")
GROUPS = ("choir", "society", "project", "committee", "cooperative")

FACT_KINDS = (
    FactKind(
        "single fact",
        PLACES,
        ("the spare key for {subject} is kept {answer}",),
        "Where is the spare key for {subject} kept?",
        "spot",
    ),
    FactKind(
        "single fact",
        GROUPS,
        ("the old logbook of {subject} was found {answer}",),
        "Where was the old logbook of {subject} found?",
        "spot",
    ),
    FactKind(
        "single fact",
        GROUPS,
        ("the emblem of {subject} is a {answer}",),
        "What is the emblem of {subject}?",
        "emblem",
    ),
    FactKind(
        "number",
        PLACES,
        ("the door code of {subject} is {answer}",),
        "What is the door code of {subject}?",
        "number",
    ),
    FactKind(
        "number",
        EVENTS,
        ("the invoice number for {subject} is {answer}",),
        "What is the invoice number for {subject}?",
        "number",
    ),
    FactKind(
        "number",
        GROUPS,
        ("the budget of {subject} is {answer} euros",),
        "How many euros is the budget of {subject}?",
        "number",
    ),
    FactKind(
        "single fact",
        GROUPS,
        ("the cook of {subject} is allergic to {answer}",),
        "What is the cook of {subject} allergic to?",
        "allergen",
    ),
    FactKind(
        "single fact",
        EVENTS,
        ("the discount code for {subject} is {answer}",),
        "What is the discount code for {subject}?",
        "discount code",
    ),
    FactKind(
        "number",
        PLACES,
        ("the phone number of {subject} is {answer}",),
        "What is the phone number of {subject}?",
        "phone number",
    ),
    FactKind(
        "number",
        GROUPS,
        ("the tax number of {subject} is {answer}",),
        "What is the tax number of {subject}?",
        "tax number",
    ),
    FactKind(
        "name",
        EVENTS,
        ("the contact person for {subject} is {answer}",),
        "Who is the contact person for {subject}?",
        "person",
    ),
    FactKind(
        "name",
        GROUPS,
        ("the treasurer of {subject} is {answer}",),
        "Who is the treasurer of {subject}?",
        "person",
    ),
    FactKind(
        "name",
        PLACES,
        ("the owner of {subject} is {answer}",),
        "Who is the owner of {subject}?",
        "person",
    ),
    FactKind(
        "updated fact",
        EVENTS,
        (
            "{subject} takes place on {stale}",
            "{subject} has been moved and now takes place on {answer}",
        ),
        "On which day and at what time does {subject} take place now?",
        "date",
    ),
    FactKind(
        "updated fact",
        GROUPS,
        (
            "the account number of {subject} is {stale}",
            "the account number of {subject} has changed to {answer}",
        ),
        "What is the account number of {subject} now?",
        "number",
    ),
    FactKind(
        "updated fact",
        PLACES,
        (
            "the caretaker of {subject} is {stale}",
            "the new caretaker of {subject} is {answer}",
        ),
        "Who is the caretaker of {subject} now?",
        "person",
    ),
    FactKind(
        "multi-evidence",
        EVENTS,
        (
            "the caterer for {subject} is {person}",
            "the telephone extension of {person} is {answer}",
        ),
        "What is the telephone extension of the caterer for {subject}?",
        "number",
    ),
    FactKind(
        "multi-evidence",
        GROUPS,
        (
            "the sponsor of {subject} is {person}",
            "the parcel for {person} has the tracking number {answer}",
        ),
        "What is the tracking number of the parcel for the sponsor of {subject}?",
        "number",
    ),
    FactKind(
        "multi-evidence",
        PLACES,
        ("the tenant of {subject} is {person}", "the coat of {person} hangs {answer}"),
        "Where does the coat of the tenant of {subject} hang?",
        "spot",
    ),
)

CATEGORIES: tuple[Category, ...] = (
    "single fact",
    "number",
    "name",
    "updated fact",
    "multi-evidence",
)

USER_FRAMES = (
    "By the way, {fact}.",
    "Please keep in mind that {fact}.",
    "One more thing for later: {fact}.",
    "While I think of it, {fact}.",
    "Just so that you know it, {fact}.",
    "Before I forget, {fact}.",
)
ASSISTANT_FRAMES = (
    "I have looked it up for you: {fact}.",
    "According to the notes, {fact}.",
    "For the record, {fact}.",
    "It also turned out that {fact}.",
)


class Deck:
    """Draws combinations of words, none of which stands in the text of another."""

    def __init__(self, random: Random, pattern: str, *pools: str) -> None:
        self._random, self._pattern = random, pattern
        self._pools = [pool.split() for pool in pools]
        self._first_words: dict[
            tuple[str, ...], list[str]
        ] = {}  # those drawn, by the words that followed

    def draw(self) -> str:
        """A combination that stands in no earlier one, nor an earlier one in it. The deck must not be empty."""
        while True:
            first, *others = (self._random.choice(pool) for pool in self._pools)
            drawn = self._first_words.setdefault(tuple(others), [])
            # Different words are not enough: whoever looks for "3 March" also finds "23 March".
            if not any(one.endswith(first) or first.endswith(one) for one in drawn):
                drawn.append(first)
                return self._pattern.format(first, *others)


def decks(random: Random) -> dict[str, Deck]:
    """Fresh decks for all kinds of answers and for the two words that name a subject.

    The smallest holds more than 10,000 combinations.
    """
    digits = " ".join("0123456789")
    return {
        "subject": Deck(random, "{} {}", ADJECTIVES, NOUNS),
        "person": Deck(random, "{} {}", FIRST_NAMES, LAST_NAMES),
        "spot": Deck(
            random,
            "{} the {} {} in the {}",
            "behind under inside beside above",
            TRAITS,
            THINGS,
            ROOMS,
        ),
        "emblem": Deck(random, "{} {} {}", COLOURS, TRAITS, ANIMALS),
        "number": Deck(
            random, "{}{}{}{}{}", digits[2:], digits, digits, digits, digits
        ),
        "allergen": Deck(random, "{} {} {}", COLOURS, NOUNS.lower(), ALLERGENS),
        "discount code": Deck(random, "{}{}{}", NOUNS.upper(), digits[2:], digits),
        "phone number": Deck(
            random, "+{}{} {}{}{} {}{}{}{}", *[digits[2:]] * 2, *[digits] * 7
        ),
        "tax number": Deck(random, "{}{}/{}{}{}/{}{}{}", digits[2:], *[digits] * 7),
        "date": Deck(
            random,
            "{} {} at {}:{}",
            " ".join(map(str, range(1, 29))),
            MONTHS,
            HOURS,
            MINUTES,
        ),
    }


ADJECTIVES = """
    Amber Ancient Autumn Azure Bamboo Basalt Birch Blooming Brass Bright Bronze Calm Candle Cedar Chalk Cherry
    Clover Cobalt Copper Coral Cotton Crimson Crystal Dancing Distant Drifting Dusty Eastern Ebony Elder Ember
    Emerald Fading Fern Flint Floating Foggy Frozen Garnet Gentle Ginger Glass Golden Granite Hazel Hidden
    Hollow Honey Humble Indigo Iron Ivory Jade Jasper Juniper Lantern Larch Lavender Lemon Lilac Linen Lively
    Lonely Lunar Maple Marble Marigold Meadow Mellow Midnight Mint Misty Mossy Northern Oaken Olive Opal Orchid
    Paper Pearl Pebble Pewter Plum Poppy Quartz Quiet Rapid Rustic Saffron Sage Sandy Scarlet Secret Silent
    Silver Slate Solar Southern Spruce Starlit Still Stormy Summer Sunny Tawny Thistle Timber Topaz Velvet
    Violet Walnut Western Willow Winter
"""
NOUNS = """
    Acorn Anchor Anvil Arch Arrow Badger Balcony Barn Basin Bay Beacon Bell Boulder Bramble Breeze Bridge Brook
    Canyon Canal Castle Cavern Chapel Chimney Cliff Cloud Comet Compass Cove Crane Crater Creek Crown Dale Delta
    Dolphin Dome Dune Eagle Estuary Falcon Feather Field Finch Fjord Forge Fountain Fox Garden Gate Geyser
    Glacier Glade Grove Gully Hammer Harbour Haven Heath Heron Hill Horizon Island Jetty Kestrel Kite Lagoon
    Lake Lark Ledge Lighthouse Lodge Lynx Magpie Marsh Mesa Mill Mirror Moor Mountain Nest Oasis Orchard Osprey
    Otter Owl Palace Pasture Path Pier Pine Plateau Pond Prairie Quarry Raven Reef Ridge River Robin Saddle
    Shore Sparrow Spire Spring Summit Swallow Temple Terrace Tide Tower Trail Tunnel Valley Vessel Village Vine
    Waterfall Wharf Windmill
"""
FIRST_NAMES = """
    Adela Agnes Aino Alba Amadou Anders Anneke Anton Asha Aurelio Beatriz Benedikt Bianca Bogdan Branka Camille
    Carmen Cedric Chiara Clemens Dagny Dalia Darius Delphine Dmitri Edda Eero Elif Emeka Esteban Fabian Farah
    Felipe Fiona Florian Gemma Gideon Giulia Greta Gustav Hamid Hanna Hedwig Henrik Ilona Imani Ingrid Isak
    Ivana Jarek Jasmin Joana Jonas Kaito Karim Katya Keiko Lasse Leandro Leila Linnea Lorenzo Lucinda Magnus
    Malik Marit Matteo Mei Milena Mirko Nadia Nestor Nikolai Noor Odette Olga Orlando Paloma Pavel Petra Priya
    Quentin Rafael Renata Rosalind Ruben Sanna Selma Sibusiso Sigrid Soraya Stellan Tamara Tariq Teodor Thandi
    Ulrika Valentin Vera Wanda Yara Yusuf Zoltan Zora
"""
LAST_NAMES = """
    Abara Adamczyk Agrawal Almeida Amsel Andrade Arslan Baptiste Barros Bergstrom Bianchi Blomqvist Borges
    Brandt Bukowski Calloway Caruso Castellan Cervantes Chandra Coelho Dahlgren Delacroix Demir Diallo
    Dombrowski Dragan Eklund Engel Escobar Fagerholm Falk Ferrante Fontaine Fujita Galvao Gashi Gruber Haddad
    Halloran Hartmann Hashimoto Hellstrom Horvat Ibarra Ivanov Jacobsen Jansen Jovanovic Kaminski Kapoor Karlsen
    Keita Kimura Kovacs Kowalska Lacroix Lindqvist Lombardi Machado Mahlangu Marchetti Markovic Mbeki Mendes
    Montoya Moravec Nakagawa Navarro Nikolaidis Novotny Nwosu Obradovic Okafor Oliveira Osterman Paredes Petrov
    Pfeiffer Quintana Rasmussen Renner Ricci Rosales Saarinen Santoro Schreiber Serrano Silberman Sorensen
    Sokolov Steiner Suzuki Takahashi Tavares Tessier Toivonen Tomasson Ulrich Valdez Vasquez Vermeer Virtanen
    Vogel Wallin Weiss Winkler Yildiz Zanetti Zielinski
"""
TRAITS = "dented faded glazed knitted lacquered painted patched polished rusty spotted striped varnished wooden worn"
THINGS = """
    barrel basket bench birdcage bookend bucket cabinet candlestick chest clock cradle crate cupboard cushion
    drum easel globe kettle ladder mirror piano quilt radio sewing-box stool suitcase teapot trunk umbrella vase
"""
ALLERGENS = (
    "wool pollen honey latex mustard celery shellfish sesame peanuts nickel down mould"
)
ROOMS = """
    annex attic basement bathroom conservatory corridor garage greenhouse hall kitchen laundry library loft
    lounge pantry parlour porch scullery stable stairwell storeroom studio study vestibule wardrobe
"""
COLOURS = """
    beige black blue brown cream crimson cyan gold green grey indigo ivory lilac magenta maroon mauve navy ochre
    orange pink purple red russet silver tan teal turquoise umber violet white yellow
"""
ANIMALS = """
    antelope badger beaver bison buffalo camel cockerel cormorant crab dolphin donkey eel falcon ferret flamingo
    gecko goose hare hedgehog heron ibex jackal kingfisher lobster lynx marten mole moose newt otter owl panther
    pelican pigeon porcupine quail raven salmon seahorse squirrel stork tortoise trout turtle walrus weasel wolf
    wren
"""
MONTHS = "January February March April May June July August September October November December"
HOURS = "08 09 10 11 13 14 15 16 17 18 19"
MINUTES = "05 10 15 20 25 30 35 40 45 50 55"
