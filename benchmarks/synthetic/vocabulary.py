"""The words of generated conversations: five domains and the sentence patterns that join them.

In a pattern, ``{slot}`` stands for a phrase of the domain or of ``SHARED``, ``{topic}`` for what the
turn is about; a slot with a capital letter starts a sentence. No phrase holds digits, a
proper name or a date, so that these belong to the planted facts alone.
"""

from __future__ import annotations

Phrases = dict[str, tuple[str, ...]]


def _phrases(**pools: str) -> Phrases:
    return {
        slot: tuple(" ".join(phrase.split()) for phrase in text.split("|"))
        for slot, text in pools.items()
    }


DOMAINS: dict[str, Phrases] = {
    "project planning": _phrases(
        topic="""
            the rollout plan | the kickoff agenda | the risk register | the hiring plan | the pilot phase |
            the stakeholder map | the release calendar | the budget draft | the training programme | the
            office move | the supplier contract | the onboarding guide
        """,
        task="""
            rewrite the milestones in plain words | move the review to a calmer week | split the work into
            smaller parts | ask the supplier for a firm commitment | draw the dependencies on one page | agree
            on a single owner | cut the scope by a third | collect the open questions in one list | rehearse
            the handover | write down what counts as finished | freeze the requirements early | talk to the
            finance team first
        """,
        part="""
            the list of open decisions | the critical path | the holiday calendar | the notes from the last
            review | the staffing table | the assumptions behind the estimate | the approval chain | the slide
            with the goals | the weekly report | the escalation rules
        """,
        worry="""
            the supplier may answer late | two teams want the same engineer | the sponsor changes direction
            often | the estimate rests on a guess | nobody feels responsible for testing | the deadline was
            set by marketing | approvals take longer than the work itself | half of the team is new
        """,
        reason="""
            it shows the real order of the work | every delay there moves the end date | people read a short
            plan and skip a long one | an owner without time is no owner at all | unclear goals cost more than
            slow hands | it is cheap to change now and expensive later | the sponsor will ask about it anyway
            | the team can check it without a meeting
        """,
    ),
    "household": _phrases(
        topic="""
            the damp corner in the hallway | the washing machine | the weekly shopping | the garden fence |
            the heating schedule | the attic clear-out | the guest room | the compost bin | the electricity
            bill | the bookshelf wall | the leaking tap | the balcony planting
        """,
        task="""
            air the rooms twice a day | sort the boxes by season | label every shelf | call a plumber for an
            estimate | repaint the worst wall first | move the freezer to the cellar | clean the filter with
            warm water | compare the tariffs line by line | give away what nobody used last year | seal the
            gap around the window | put the chores on a rota | measure the alcove before buying anything
        """,
        part="""
            the seal of the door | the shelf above the boiler | the instructions from the landlord | the fuse
            box | the old invoices | the drainpipe behind the shed | the radiator valve | the laundry basket |
            the meter in the hall | the tool drawer
        """,
        worry="""
            the stain keeps coming back | the neighbours complain about the noise | the landlord is slow to
            reply | we own far too many things | the smell is worse after rain | the bill has crept up all
            year | the children never put anything back | the old wiring makes me nervous
        """,
        reason="""
            moisture needs somewhere to go | a habit sticks when it is easy | small leaks cause large repairs
            | you notice what is missing only when you look | warm water dissolves the lime | the cheapest fix
            is often the one you do today | it keeps the dust away from the beds | a rota ends the daily
            argument
        """,
    ),
    "travel": _phrases(
        topic="""
            the night train | the coastal route | the packing list | the mountain hut | the ferry connection |
            the rental car | the travel insurance | the old town walk | the campsite | the border crossing |
            the museum day | the return flight
        """,
        task="""
            book the sleeper as soon as it opens | pack one bag less | leave a free day in the middle | carry
            the medicine in the hand luggage | print the tickets as a backup | take the slow road along the
            lake | reserve the hut by telephone | swap the order of the two cities | check the opening hours
            of the museum | buy the day pass at the station | start the hike before the heat | ask the host
            for a late arrival
        """,
        part="""
            the connection in the afternoon | the cancellation terms | the map of the trails | the luggage
            allowance | the ferry timetable | the list of documents | the weather at the pass | the parking
            rules in the centre | the phrasebook | the charger and the adapters
        """,
        worry="""
            the connection is very tight | my father tires quickly | the hotel has no lift | the pass may be
            closed | the children get sick on winding roads | prices double in the holidays | my passport is
            nearly full | the last bus leaves early
        """,
        reason="""
            a missed ferry costs a whole day | a rest day saves the second half of a journey | the view is
            better in the morning light | small stations have no ticket office | luggage is what people regret
            most | the locals eat late and the kitchens open late | a refund is only possible before departure
            | the tourist office knows which trails are open
        """,
    ),
    "debugging": _phrases(
        topic="""
            the nightly import | the login page | the cache layer | the message queue | the search index | the
            payment callback | the mobile build | the report generator | the database migration | the retry
            logic | the upload form | the flaky test
        """,
        task="""
            reproduce it with the smallest input | log the value right before the crash | bisect the recent
            commits | turn off the cache for one request | compare the settings of both machines | write a
            failing test first | count the open connections | replay the recorded traffic | pin the version of
            the driver | read the stack trace from the bottom | add a timeout to every call | look at the
            memory graph
        """,
        part="""
            the stack trace | the retry counter | the connection pool | the time zone setting | the lock on
            the table | the background worker | the environment variables | the error budget | the parser for
            the header | the order of the two writes
        """,
        worry="""
            it fails only under load | the log stops right before the error | it works on my machine | the
            test passes when it runs alone | nobody remembers who wrote that part | customers noticed it
            before we did | the rollback did not help | the error message is misleading
        """,
        reason="""
            a race hides when you slow it down | the first error causes all the later ones | a stale entry
            survives the restart | two clocks rarely agree | an unbounded queue only delays the failure | the
            driver retries silently | a small reproduction is half of the fix | guesses cost more than
            measurements
        """,
    ),
    "cooking": _phrases(
        topic="""
            the lentil soup | the sourdough | the birthday menu | the mushroom risotto | the vegetable stock |
            the plum cake | the weekly meal plan | the pickled radishes | the roast | the noodle salad | the
            tomato sauce | the picnic basket
        """,
        task="""
            toast the spices before grinding them | let the dough rest overnight | salt the water generously |
            chop everything before you light the stove | reduce the sauce on a low flame | cool the cake in
            its tin | soak the beans the evening before | taste it again at the end | use the stale bread for
            dumplings | roast the vegetables on two trays | freeze half of the stock | replace the cream with
            oat milk
        """,
        part="""
            the temperature of the oven | the starter in the fridge | the heavy iron pan | the rest of the
            broth | the herbs from the balcony | the timing of the side dishes | the list of allergies | the
            sharp knife | the jar of preserved lemons | the colour of the crust
        """,
        worry="""
            the crust stays pale | the sauce separates every time | my oven runs hot on one side | one guest
            eats no dairy | the dough sticks to everything | the rice turns to porridge | I always start too
            late | the children refuse anything green
        """,
        reason="""
            heat wakes up the oils in the seeds | time does what kneading cannot | salt needs a while to reach
            the middle | steam softens what should be crisp | acid lifts a flat taste | a crowded tray steams
            instead of roasting | cold butter makes the layers | the residual heat finishes the job
        """,
    ),
}

SHARED: Phrases = _phrases(
    who="""
        my sister-in-law | a colleague from upstairs | our neighbour | an old friend | my flatmate | the
        trainee | my mother | someone at the club | the woman from the office next door | my partner
    """,
    when="""
        before the weekend | after lunch | in the quiet hours | at the start of next week | once the rain
        stops | as soon as everybody is back | over the holidays | in small steps | without any hurry | by the
        end of the month
    """,
    since="""
        since last week | for days | since the spring | for far too long | every other evening | since we
        moved | on and off all month | whenever I find the time
    """,
    how="""
        sensible | careful | practical | thorough | simple | patient | relaxed | realistic | tidy | sober
    """,
    result="""
        the rest becomes much easier | you sleep better at night | the next step is obvious | there is less to
        argue about | you can stop worrying about it | small mistakes stay small | everybody knows where to
        look | the effort pays off quickly | you keep your options open | nothing gets forgotten
    """,
)

QUESTION_STATEMENTS = (
    "I have been thinking about {topic} {since}, and {worry}.",
    "{Who} suggested that we {task} {when}, which sounds {how} to me.",
    "Last time I tried to {task}, but {worry}, so I gave up halfway.",
    "What bothers me about {topic} is that {worry}.",
    "We already looked at {part}, and it did not tell us very much.",
    "I would like to stay {how} about this, even though {worry}.",
    "{Who} keeps saying that {reason}, and I am not sure it applies here.",
    "For {topic} we have a little money and not much time.",
    "I started with {part} because that seemed {how}.",
    "Some people would simply {task}, and maybe they are right.",
    "So far I have ignored {part}, mostly because {worry}.",
    "It would help me a lot to {task} {when}.",
    "You may remember that I asked about {topic} before, and things have changed a little.",
    "If {worry}, the whole idea behind {topic} falls apart.",
)
QUESTIONS = (
    "How would you go about {topic}?",
    "Should I {task} first, or look at {part}?",
    "What would you do about {part}?",
    "Is it worth it to {task} {when}?",
    "Can you explain why {reason}?",
    "What am I missing about {topic}?",
    "Which steps would you take {when}?",
    "Would it be wiser to {task}, given that {worry}?",
    "How do I tell {who} that {worry}?",
    "Could you give me a {how} plan for {topic}?",
    "What is a {how} way to deal with {topic}?",
    "Where does {part} come in?",
)
ANSWER_OPENERS = (
    "That is a fair question about {topic}.",
    "I see why {topic} is on your mind.",
    "Let us take {topic} one piece at a time.",
    "A {how} answer depends on {part}, so I will start there.",
    "With {topic} you are closer than you think.",
    "The short answer is to {task} {when}.",
    "I would separate two things here: {topic} and {part}.",
    "Before anything else, look at {part} once more.",
    "Thank you for the background, it makes {topic} easier to judge.",
    "Most people would begin with {part}, and I would too.",
)
ANSWER_SENTENCES = (
    "I would begin with {part}, because {reason}.",
    "If {worry}, it is better to {task} than to wait.",
    "The usual mistake is to touch {part} too late, when {worry} and nobody has the patience for it any more.",
    "Try to {task} {when}, and write down what changes.",
    "A {how} look at {part} often shows more than a long discussion, since {reason}.",
    "You could also {task}, although that only helps when somebody keeps an eye on {part}.",
    "Once you have managed to {task}, {result}.",
    "With {topic} it pays to be {how}: {reason}.",
    "Should it turn out that {worry}, fall back on the simpler way and {task}.",
    "Tell {who} early, because {reason}, and a surprise at the end helps nobody.",
    "In my experience {result} as soon as you {task}.",
    "Keep {part} apart from {topic}, at least until you know whether {worry}.",
    "It is tempting to {task} straight away, but {reason}.",
    "When {who} asks, point to {part} and say openly that {worry}.",
    "Do not let the fact that {worry} stop you; {result} once the first step is done.",
    "There is no harm in asking {who} for a second opinion on {part}.",
    "I would give it a {how} try {when} and decide afterwards.",
    "That way {result}, and you can still {task} later if you want to.",
    "Remember that {reason}, so {topic} deserves more attention than it seems.",
    "What works well in practice is to {task}, then to check {part}, and only then to go on.",
    "The reason is plain: {reason}.",
    "You can tell that it works when {result}.",
    "A {how} rule of thumb is to look at {part} {when}.",
    "Both ways are fine, but the {how} one leaves room for error, which matters because {worry}.",
)
ANSWER_CLOSERS = (
    "If you like, we can go through {part} together.",
    "Tell me how it goes and we will adjust {topic}.",
    "Start small, and {result}.",
    "Let me know if {worry} again.",
    "I am happy to turn this into a {how} checklist.",
    "Then come back to {topic} {when}.",
    "Everything else about {topic} can wait.",
)
LIST_INTRODUCTIONS = (
    "In this order:",
    "As a {how} list for {topic}:",
    "The steps I would take {when}:",
    "Three things matter most here:",
)
