"""Sentences in which people state facts, with what a question about each would ask for.

The patterns of ``memviz/metrics/retention`` were written while looking at :data:`TUNED`. :data:`HELD_OUT` was written
before them, by the same hand, and not looked at again, so it tells how well they do on other people's sentences.
Whoever changes the patterns to find more of the second half should move those sentences to the first.

:data:`SHORT` are short sentences of later kinds (what somebody cannot take, days before an "if", groups and sizes that
are a letter or a number), with as many that look alike and state no fact. The patterns of these kinds were written with
them in sight; :data:`HELD_OUT_SHORT` was written afterwards, and no pattern was changed because of it.
"""

from __future__ import annotations

from typing import NamedTuple


class Phrasing(NamedTuple):
    """A sentence of a user that states one fact, and the ``answer`` that it gives; none, if it states no fact."""

    sentence: str
    answer: str


def _phrasings(lines: str) -> tuple[Phrasing, ...]:
    split = (line.strip().partition(" | ") for line in lines.strip().splitlines())
    return tuple(Phrasing(sentence, answer) for sentence, _, answer in split)


TUNED = _phrasings(
    """
    Please remember that I'm allergic to wool, so no blankets made of it. | wool
    My daughter Mira has a severe peanut allergy. | peanut
    You can reach me at +44 20 7946 0958 after six. | +44 20 7946 0958
    My mobile number is 0170 5551234. | 0170 5551234
    The door code is 7742, by the way. | 7742
    The wifi password at the cabin is maple-4417. | maple-4417
    My tax number is 12/345/67890. | 12/345/67890
    The discount code is WELCOME15. | WELCOME15
    We get a 15% discount at the hardware store. | 15%
    My account number at the bank is 40051837. | 40051837
    Our booking reference is KZ4-88T. | KZ4-88T
    My sister Annika is coming along. | Annika
    My dentist is Dr. Okafor. | Okafor
    The dentist appointment is on 14 March at 9:40. | 14 March
    The deadline for the application is 3 November. | 3 November
    We live at 12 Mole Street, Westerbrook. | 12 Mole Street
    Our budget for the kitchen is 8,500 euros. | 8,500
    The rent is $1,250 a month. | 1,250
    I hate coriander. | coriander
    I prefer window seats on long flights. | window seats
    We decided to paint the hallway sage green. | sage green
    Our cat is called Biscuit. | Biscuit
    My favourite author is Ursula Le Guin. | Ursula Le Guin
    The vet says that Rufus weighs 31 kilos now. | 31
    My email address is lena.hart@example.org. | lena.hart@example.org
    My husband is vegetarian. | vegetarian
    The shop opens at half past eight. | half past eight
    Our meeting has been moved to Thursday at 4 pm. | Thursday
    Meine Kontonummer ist 5518042. | 5518042
    我对花粉过敏。 | 花粉
    我的电话号码是13800138000。 | 13800138000
    我们的预算是三千五百元。 | 三千五百元
    我的老师叫王小林。 | 王小林
    考试定在六月十二号。 | 六月十二号
    One thing about gifts: wool gives me a rash, I am highly allergic to it. | wool
    If anything comes up, call me on 07700 900123. | 07700 900123
    Her number is (415) 555-2671 if you want to talk to her. | 555-2671
    """
)

HELD_OUT = _phrasings(
    """
    Just so you know, Tom can't have shellfish, he is allergic. | shellfish
    Tom is intolerant to lactose. | lactose
    To get into the building you need the code 8823#. | 8823
    The combination of the bike lock is 40-18-7. | 40-18-7
    The PIN for the alarm is 5093. | 5093
    My VAT ID is DE811907980. | DE811907980
    For the invoice: our tax ID is 98-7654321. | 98-7654321
    With the coupon SPRING20 it gets cheaper. | SPRING20
    Members pay 20 percent less, that is our discount. | 20 percent
    Please transfer it to IBAN DE89 3704 0044 0532 0130 00. | DE89 3704 0044 0532 0130 00
    The order number of the lamp is QX-77120. | QX-77120
    My brother's name is Casimir. | Casimir
    Jorunn is my physiotherapist. | Jorunn
    Our landlord, Mr. Whitlock, lives downstairs. | Whitlock
    My passport runs out on 9 July 2027. | 9 July 2027
    I was born on 22 April 1984. | 22 April 1984
    The thesis has to be handed in by 30 November. | 30 November
    The train leaves at 6:52 in the morning. | 6:52
    Our new address is Lindenallee 14, 50968 Köln. | Lindenallee 14
    I can spend at most 400 pounds on the bike. | 400
    I paid 85 dollars for the repair. | 85
    I can't stand liquorice. | liquorice
    I'd rather take the train than fly. | train
    In the end we went with the oak table. | oak
    We have agreed on Porto for the summer. | Porto
    Our dog Pickle is afraid of thunder. | Pickle
    There will be 45 guests at the party. | 45
    My locker at the gym is number 212. | 212
    My shoe size is 42. | 42
    Ich bin allergisch gegen Haselnüsse. | Haselnüsse
    Mein Steuerberater heißt Herr Brandl. | Brandl
    我女儿对花生过敏。 | 花生
    门禁密码是9036。 | 9036
    我同事李建国下周来。 | 李建国
    房租每个月两千八百块。 | 两千八百块
    航班改到八月十五日了。 | 八月十五日
    我不吃香菜。 | 香菜
    """
)

SHORT = _phrasings(
    """
    Ich habe eine Pollenallergie | Pollenallergie
    Wir sind beide allergisch auf Katzenhaare | Katzenhaare
    Mein Sohn ist allergisch gegen Wespenstiche | Wespenstiche
    Ich habe eine Unverträglichkeit gegen Histamin. | Histamin
    Ich vertrage keine Laktose | Laktose
    I can't do dairy | dairy
    She can't do stairs | stairs
    I don't do well with latex | latex
    I can't take ibuprofen | ibuprofen
    I can't have aspirin | aspirin
    The 23rd works best for us if the hall is free. | 23rd
    We move in on the 5th if the paint has dried by then. | 5th
    Let's take the 9th unless it rains. | 9th
    The second viewing is on the 28th, if that matters. | 28th
    I am in group B | group B
    My daughter is in class 4b. | 4b
    I wear a size L | size L
    My T-shirt size is XL. | XL
    Our seats are in block F | block F
    We're in team D for the relay. | team D
    Ich habe eine Frage zu Allergien.
    Ich habe eine Idee
    Eine Allergie ist unangenehm.
    Allergisch reagieren kann jeder.
    I can't do it
    I can't do more today
    I can't do without you
    We can't do anything about it
    I can't take it anymore
    I can't take credit for that
    She can't do much right now
    I can't have everything
    If the 12th were a Sunday we would have noticed.
    Maybe the 14th, I have to ask.
    It could be the 21st if nobody objects.
    The 19th century fascinates me if the book is good.
    We are a group of friends
    The group I mentioned is nice
    The team I support lost again
    A size I like is hard to find
    """
)

HELD_OUT_SHORT = _phrasings(
    """
    Ich habe eine Hausstaubmilbenallergie | Hausstaubmilbenallergie
    Meine Tochter reagiert allergisch auf Erdbeeren | Erdbeeren
    Wir haben beide eine Glutenunverträglichkeit | Glutenunverträglichkeit
    Mein Mann verträgt kein Penicillin | Penicillin
    Er ist allergisch gegen Bienengift | Bienengift
    We can't do eggs | eggs
    My husband can't do onions, sadly | onions
    He can't take antihistamines | antihistamines
    I mustn't have grapefruit | grapefruit
    I'm sensitive to sulphites | sulphites
    The 30th is fine if you bring the van. | 30th
    I'd go for the 11th if there are seats left. | 11th
    The removal is booked for the 2nd if they confirm. | 2nd
    My shift starts on the 26th, if nothing changes. | 26th
    Our son plays in team B | team B
    I live in block K, third floor. | block K
    We are sitting in row 14 | row 14
    He takes a size S | size S
    I need a size 43 in boots. | 43
    She was put in group E this year | group E
    Ich habe eine Bitte
    Ich habe eine lange Liste
    Allergien sind häufig.
    Er verträgt keine Kritik
    We can't do everything
    I can't do that today
    He can't take the pressure
    I can't take your word for it
    You can't have both
    I'm sensitive about that
    If the 30th is fine, bring the van.
    I wonder if the 11th is free.
    The 2nd floor is noisy if the windows are open.
    The 3rd attempt failed, if I remember right.
    Our son plays in a team
    I live in a block of flats
    We sat in row after row of seats
    He takes any size
    A class B drug is illegal.
    She was put in group therapy
    """
)
