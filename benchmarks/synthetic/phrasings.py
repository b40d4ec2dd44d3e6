"""Sentences in which people state facts, with what a question about each would ask for.

The patterns of ``memviz/metrics/retention`` were written while looking at :data:`TUNED`. :data:`HELD_OUT` was written
before them, by the same hand, and not looked at again, so it tells how well they do on other people's sentences.
Whoever changes the patterns to find more of the second half should move those sentences to the first.
"""

from __future__ import annotations

from typing import NamedTuple


class Phrasing(NamedTuple):
    """A sentence of a user that states one fact, and the ``answer`` that it gives."""

    sentence: str
    answer: str


def _phrasings(lines: str) -> tuple[Phrasing, ...]:
    return tuple(Phrasing(*line.strip().split(" | ")) for line in lines.strip().splitlines())


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
