"""English words by what they say about the sentence that holds them. All lower case."""

from memviz.core.text.vocabulary import words

NUMBER_WORDS = words(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half twice zero"""
)

MONTHS = words(
    """january february april june july august september october november december
    jan feb apr jun jul aug sep sept oct nov dec
    januar februar märz juni juli oktober dezember"""
)

DATE_WORDS = MONTHS | words(
    """monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday
    sundays tomorrow yesterday tonight noon midnight weekend weekends spring summer autumn winter christmas
    easter o'clock"""
)

PERSONAL = words("i i'm i've i'll i'd i’m i’ve my we we're we've our mine me us ours")

WEIGHTY = words(
    """decide decided decision chose chosen choose prefer prefers preferred preference favourite favorite allergic
    allergy allergies intolerant intolerance vegetarian vegan must deadline due instead changed moved switched agreed
    booked reserved reservation budget costs cost price password code address name named called born birthday married
    lives live works hate hates love loves afraid important promised confirmed cancelled canceled final finally signed
    limit limited goal planned number paid bought"""
)

CHANGE = words(
    """instead changed changes changing moved moving switched now new updated actually corrected correction raised
    reduced lowered increased extended postponed pushed rescheduled replaced renamed revised final"""
)

MODALS = words("could can may might should would")

HEDGED = words(
    "consider usually typically generally often maybe perhaps recommend suggest depends i'd i’d you'd generally"
)

HEDGED_STARTS = words(
    """if perhaps maybe try avoid add use check ask start keep don't let make remember feel bring choose consider write
    put take pick set plan when"""
)

SMALL_TALK_STARTS = words(
    """hi hello hey thanks thank great perfect sure certainly absolutely sounds good nice ok okay understood noted happy
    glad sorry wonderful lovely yes no fine right exactly welcome"""
)

POINTING_STARTS = words(
    "he she it it's it’s that that's this these those they there there's his her their who"
)
"""A sentence that begins with one of these speaks of something that another sentence names."""

MAY_ADMIT_IGNORANCE = words(
    """know have see find recall remember told sure aware record mention information nothing
    don't didn't can't cannot not"""
)
