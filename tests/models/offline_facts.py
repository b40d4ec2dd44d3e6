"""Facts, questions about them and their answers; and talk about other things to hide them in."""

from __future__ import annotations

from typing import NamedTuple

from memviz import Message


class Fact(NamedTuple):
    statement: str
    question: str
    answer: str


ENGLISH = tuple(
    Fact(*line.split(" | "))
    for line in """
My daughter Mira is allergic to hazelnuts. | What is my daughter allergic to? | hazelnuts
Our total budget for the trip is 3,000 euros. | How much is our budget for the trip? | 3,000
I moved to Lisbon in 2019. | When did I move to Lisbon? | 2019
My dentist is called Dr. Okafor. | What is the name of my dentist? | Okafor
The deadline for the report is 14 March. | What is the deadline of the report? | 14 March
I work as a nurse in a children's hospital. | What do I work as? | nurse
Our cat Biscuit sleeps on the radiator. | What is our cat called? | Biscuit
The wifi password at the cabin is maple-4417. | Do you remember the wifi password at the cabin? | maple-4417
My sister lives in Tromsø. | Where does my sister live? | Tromsø
I prefer trains to planes. | Do I prefer trains or planes? | prefer trains
We are six people at the wedding table. | How many people are at the wedding table? | six
My car is a blue hatchback from 2012. | What colour is my car? | blue
The rent of the flat went up to 940 euros a month. | How high is the rent of my flat? | 940
Anders will pick us up at the station. | Who will pick us up at the station? | Anders
The meeting with the architect starts at 9:40. | At what time does the meeting with the architect start? | 9:40
My grandmother grew up in a village near Bergamo. | Remind me where my grandmother grew up. | Bergamo
The order number of the lamp is QX-77120. | What is the order number of the lamp? | QX-77120
I can't eat gluten. | What can't I eat? | gluten
My favourite book is a novel about lighthouse keepers. | what is my favorite book | lighthouse
The vet told us that Rufus weighs 31 kilos. | How much does Rufus weigh? | 31
We decided to paint the kitchen sage green. | Which color did we decide to paint the kitchen? | sage green
My flight to Oslo leaves on Friday at noon. | When does my flight to Oslo leave? | Friday
The marathon I am training for is in October. | In which month is the marathon I train for? | October
Please always answer in short paragraphs. | How did I ask you to answer? | short paragraphs
My boss Henrike wants the slides by Tuesday. | Who wants the slides by Tuesday? | Henrike
I paid 85 dollars for the bicycle repair. | How much did I pay for the bike repair? | 85
My locker number at the gym is 212. | What's my locker number at the gym? | 212
The bakery on Mill Street closes at six. | When does the bakery on Mill Street close? | six
My physiotherapist Jorunn wants me to swim twice a week. | Who wants me to swim twice a week? | Jorunn
The landlord agreed to replace the boiler before winter. | What did the landlord agree to replace? | boiler
Our newsletter has 1,240 subscribers. | How many subscribers does our newsletter have? | 1,240
I am afraid of heights. | What am I afraid of? | heights
The thesis has to be handed in by 30 November. | By when does the thesis have to be handed in? | 30 November
The bike is locked at the north entrance of the pool. | Where is the bike locked? | north entrance
We booked room 17 at the Pension Lindenhof. | Which room did we book at the Pension Lindenhof? | 17
The project is named Bluebell internally. | What is the internal name of the project? | Bluebell
My doctor told me to take 20 mg of the tablet. | How many mg of the tablet should I take? | 20
I always drink my coffee without sugar. | How do I drink my coffee? | without sugar
""".strip().splitlines()
)

CHINESE = tuple(
    Fact(*line.split(" | "))
    for line in """
我女儿米拉对榛子过敏。 | 我女儿对什么过敏？ | 榛子
我们这次旅行的总预算是三千欧元。 | 这次旅行的预算是多少？ | 三千
我住在杭州西湖区。 | 我住在哪里？ | 杭州
我的生日是五月十二号。 | 我的生日是哪天？ | 五月十二
我养了一只叫豆豆的猫。 | 我的猫叫什么名字？ | 豆豆
会议改到星期四上午十点。 | 会议改到什么时候了？ | 星期四
我最喜欢的颜色是墨绿色。 | 我最喜欢什么颜色？ | 墨绿
我姐姐在成都当老师。 | 我姐姐在哪个城市当老师？ | 成都
房租每个月4200元。 | 我的房租是多少？ | 4200
我的车牌号是浙A-88321。 | 你还记得我的车牌号吗？ | 88321
我不吃香菜。 | 我不吃什么？ | 香菜
项目的截止日期是十二月三日。 | 项目的截止日期是哪一天？ | 十二月三日
新来的同事叫伊莎，在仓库上班。 | 新来的同事叫什么？ | 伊莎
护照到2028年3月过期。 | 我的护照什么时候过期？ | 2028
""".strip().splitlines()
)

_ENGLISH_TALK = """
The weather was mild all week. I watered the plants on the balcony this morning. Sourdough needs a warm place to rise.
The museum has a new wing for textiles. My back hurts after sitting all day. We watched a documentary about whales.
The bus was late again, by twelve minutes. Jazz from the fifties is good for cooking. I bought new running shoes.
The printer in the office is out of toner. Our neighbours are renovating their bathroom. The library opens late.
My son plays handball twice a week. The tomatoes on the market cost 4 euros a kilo. An octopus has three hearts.
The garden fence needs a new coat of paint. Our train to Ghent was cancelled in May. The soup wants more salt.
Carla from accounting retires in June. I learn the cello since 2021. The dog next door is called Oskar.
We have 14 chairs in the hall. A good knife should be sharpened by hand. The hotel in Turin had a lovely courtyard.
My phone battery lasts a day. My favourite season is autumn. My brother works in a bank. I ate a very good pear.
The budget of the city was cut again. Sleep is better in a cool room.
"""
_CHINESE_TALK = """
今天天气很好。我早上给阳台上的花浇了水。公交车又晚点了十二分钟。昨天我们看了一部关于鲸鱼的纪录片。图书馆星期一开门比较晚。
我儿子每周打两次篮球。市场上的西红柿四块钱一斤。办公室的打印机没有墨了。邻居正在装修浴室。我买了一双新的跑步鞋。
面包需要在温暖的地方发酵。我弟弟在银行工作。晚上凉快的时候睡得更好。我喜欢听爵士乐。博物馆新开了一个展厅。
我哥哥会拉大提琴。会议室里有十四把椅子。酒店的院子很漂亮。地铁上人很多。周末我们去爬山。汤里要再放一点盐。
"""


def other_talk(chinese: bool) -> list[Message]:
    """More than twenty statements, each acknowledged."""
    text = _CHINESE_TALK if chinese else _ENGLISH_TALK
    end, reply = (
        ("。", "好的，明白了。") if chinese else (".", "Thanks for telling me.")
    )
    statements = [
        part.strip() + end
        for part in text.replace("\n", " ").split(end)
        if part.strip()
    ]
    return [
        message
        for said in statements
        for message in (Message("user", said), Message("assistant", reply))
    ]
