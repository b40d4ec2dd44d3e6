"""Conversations as people write them, several facts a message and some of them no rule can see.

:data:`OTHER_HAND` was written by somebody who did not know the patterns of ``memviz/metrics/retention``; they found
half of its facts then, and were mended with these conversations in sight. :data:`HELD_OUT_CHATS` are by the hand that
mended them: the first was written before, knowing which kinds of facts had been missed, the second afterwards.

A line that begins with ``|`` holds the facts of the message before it.
"""

from __future__ import annotations

from memviz import Message
from memviz.transcripts.base import Probe, Transcript

_HOME = """
Hey, I'm moving flats next month and need help keeping things straight.
The new place is 48 Larkspur Road, flat 3B, Bristol BS6 5TQ, and the building's keypad is 5813.
| 48 Larkspur Road; 3B; 5813
Landlady's called Mrs Okonkwo, reach her on 07700 900418 or okonkwo.lets@mailbox.uk
| Okonkwo; 07700 900418; okonkwo.lets@mailbox.uk
Oh and wool brings me out in a rash, so no wool carpets. My partner Theo can't have shellfish.
| wool; Theo; shellfish
We pay £1,150 a month, deposit was £1,725 and it's held by the DPS under ref DPS-88213-K.
| 1,150; 1,725; DPS-88213-K
The removal van comes on the 23rd at quarter past eight. With the code MOVE20 we get 20% off.
| 23rd; quarter past eight; MOVE20; 20%
My NI number is QQ 12 34 56 C in case the council asks. The wifi will be under TheoLark_5G, pass: bluegoose77
| QQ 12 34 56 C; TheoLark_5G; bluegoose77
Our cat Biscuit weighs 4.2 kilos and takes half a tablet of Felimazole every morning.
| Biscuit; 4.2; half a tablet; Felimazole
"""
_CHINESE = """
你好,我叫赵敏华,住在杭州市西湖区文三路二百一十八号。
| 赵敏华; 文三路
我对花生过敏,我女儿小雨今年七岁,她对青霉素过敏。
| 花生; 小雨; 七岁; 青霉素
门禁密码是4029,我的手机号是13805712266。
| 4029; 13805712266
我们打算八月十五号去青岛,预算是六千五百元。
| 八月十五; 六千五百
酒店叫海天大酒店,订单号HT20931,房间在十二楼。
| 海天大酒店; HT20931; 十二楼
我先生王建国不吃辣,他的生日是三月九日。邮箱是zhaomh@163.com。
| 王建国; 辣; 三月九日; zhaomh@163.com
优惠码是SUMMER8,可以打八折。公司的税号是91330106MA2B1。
| SUMMER8; 八折; 91330106MA2B1
"""
_WEDDING = """
Hallo, ich bin Jürgen Albers und plane die Hochzeit meiner Tochter Wiebke.
| Jürgen Albers; Wiebke
Am 12. September um 14 Uhr in der Kirche St. Nikolai. Wir rechnen mit 86 Gästen.
| 12. September; 14 Uhr; St. Nikolai; 86
Das Budget liegt bei 18.500 Euro. Der Bräutigam heißt Malte.
| 18.500; Malte
Wiebke verträgt keine Laktose, und Tante Gerda hat eine Nussallergie.
| Laktose; Nussallergie; Gerda
Die Torte kommt von der Konditorei Süßwerk, Telefon 0421 558877, Bestellnummer W-4471.
| Süßwerk; 0421 558877; W-4471
Meine Steuernummer ist 60/123/45678. Der Türcode vom Gemeindehaus lautet 2468B.
| 60/123/45678; 2468B
Mit dem Gutscheincode HERBST25 sparen wir 25 Prozent. Schreib mir an j.albers@posteo.de.
| HERBST25; 25; j.albers@posteo.de
Die Band spielt bis 1 Uhr, die Anzahlung von 600 Euro habe ich gestern überwiesen.
| 1 Uhr; 600
"""
_CHATTY = """
so basically the thing is I can't do penicillin, had a bad reaction in 2019
| penicillin; 2019
also pls remember: locker 114, combo 22-8-31
| 114; 22-8-31
the meeting with Dana from Helix got moved from Tuesday to Friday, 3pm now
| Dana; Friday
our flight is LX 1837 out of Zurich, seat 14C, confirmation K9TWPQ
| LX 1837; 14C; K9TWPQ
budget? let's say two and a half grand. I'd rather stay near the harbour
| two and a half; harbour
my sister goes by Lou, she is vegan. her number: (555) 010-7788
| Lou; vegan; (555) 010-7788
coupon FERRY-5 works until 30 Sept
| FERRY-5; 30 Sept
we picked the blue sofa btw, order 000-7741
| blue sofa; 000-7741
"""
_POTTERY = """
Right, so I'm opening a small pottery studio in Leeds and I keep forgetting things.
Latex gloves give me hives, so keep that in mind when we order supplies.
| latex
You can write to me at nora.fell@claypots.co.uk, I check it twice a day.
| nora.fell@claypots.co.uk
The kiln supplier quoted £6,480, delivery on the 17th if we pay by Monday.
| 6,480; 17th
My insurance policy is HX 20 77 41 and the agent's name is Rashid Noor.
| HX 20 77 41; Rashid Noor
I think glazing is more fun than throwing, honestly. What do you think?
For the train I'm on GW 4410, coach C, and the booking is under 7PLQX2.
| GW 4410; 7PLQX2
My nephew Callum is 19 years old and he can't eat gluten.
| Callum; 19; gluten
The safe opens with 31-7-90, don't write that anywhere else.
| 31-7-90
Meine Schwester Hanne hat eine Katzenallergie und kommt am 4. Oktober um 11 Uhr.
| Hanne; Katzenallergie; 4. Oktober; 11 Uhr
Die Miete liegt bei 1.240 Euro, das Studio hat Platz für 16 Schüler.
| 1.240; 16
Was meinst du, ist das zu teuer?
我太太林晓燕不能吃虾,我儿子乐乐今年五岁。
| 林晓燕; 虾; 乐乐; 五岁
民宿叫青石小院,用优惠码TEA2024可以打九折。
| 青石小院; TEA2024; 九折
Anyway, the weather has been lovely and we had soup for lunch.
"""
_TRIATHLON = """
I'm training for a triathlon and my coach is Bettina Kroll.
| Bettina Kroll
Ibuprofen upsets my stomach, so I take paracetamol instead.
| Ibuprofen; paracetamol
The race starts at 6:45 on the 14th of June near the old pier.
| 6:45; 14th of June
My bib number is 2207 and the start group is C.
| 2207; C
I pay 85 euros a month for the pool, membership M-5519.
| 85; M-5519
Dad can't do dairy and my aunt Rosalind swells up from shrimp.
| dairy; Rosalind; shrimp
On the second lap I always get tired, it makes me sick of swimming.
We can't do without a plan, can we.
The wetsuit was 219 pounds, size M, from Deeper Waters.
| 219; size M
You'll find the key in the blue tin behind the boiler.
| blue tin
My mail is k.mora@trimail.fr, or ring 06 12 34 56 78.
| k.mora@trimail.fr; 06 12 34 56 78
Notre hôtel s'appelle Le Phare et la chambre est la 207.
| Le Phare; 207
Der Zug fährt am 13. Juni um 9 Uhr ab Gleis 7, Wagen 22.
| 13. Juni; 9 Uhr; 7; 22
我妹妹晓彤对海鲜过敏,她住在苏州。
| 晓彤; 海鲜; 苏州
我们订了八点的餐厅,名字叫老码头,人均一百二十元。
| 八点; 老码头; 一百二十
老师建议我多休息,小心一点。
The flat in Leeds 2024 report covers 30 pages.
"""


def _chat(title: str, lines: str) -> Transcript:
    messages: list[Message] = []
    probes = []
    for line in lines.strip().splitlines():
        if line.startswith("| "):
            said = len(messages) - 2
            facts = line.removeprefix("| ").split("; ")
            probes += [
                Probe(messages[said].content, (fact,), (said,), "single fact")
                for fact in facts
            ]
        else:
            messages += [Message("user", line), Message("assistant", "Alright.")]
    return Transcript(tuple(messages), title=title, probes=tuple(probes))


OTHER_HAND = tuple(
    _chat(title, lines)
    for title, lines in (
        ("moving", _HOME),
        ("Chinese", _CHINESE),
        ("wedding", _WEDDING),
        ("chatty", _CHATTY),
    )
)
HELD_OUT_CHATS = _chat("pottery", _POTTERY), _chat("triathlon", _TRIATHLON)
