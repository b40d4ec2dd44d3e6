"""Values that Chinese sentences name as what they are: numbers with a label, allergies and tastes, days, people."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memviz.core.text.words import HAN
from memviz.metrics.retention.chinese_people import ChinesePeople
from memviz.metrics.retention.label_words import EMAIL, one_of
from memviz.metrics.retention.labelled_kinds import (
    AGE,
    CHOICE,
    CODE,
    PERSON,
    PERSONAL,
    PLACE,
    Labelled,
)

_LABEL = one_of(
    """密码 门禁 验证码 取件码 口令 电话 手机号? 座机 号码 账号 帐号 账户 卡号 税号 编号 单号 订单号? 预订号 预约号
    优惠码 折扣码 兑换码 邀请码 车牌号? 身份证号? 护照号? 会员号 学号 工号 门牌号? 房间号? QQ 微信号? 序列号 流水号
    合同号 税务登记号 识别号"""
)
_LABELLED = re.compile(
    rf"{_LABEL}[^，。；！？,;!?\d]{{0,6}}?(?:是|为|改成|改为|换成|：|:)? ?"
    r"(?P<value>\+?[A-Za-z0-9\u4e00-\u9fff]?-?[A-Za-z0-9][A-Za-z0-9 #*/_.-]{1,28}[A-Za-z0-9])(?!\w*[元块%天])"
)
_MOBILE = re.compile(r"(?<!\d)(?P<value>1[3-9]\d[- ]?\d{4}[- ]?\d{4})(?!\d)")
_EMAIL = re.compile(rf"(?P<value>{EMAIL})", re.ASCII)
_LEAST_DIGITS, _LEAST_CODE_CHARS = 3, 5
_THING = "(?P<value>[^，。；！？、,;!?的了 ]{1,8}?)"
_TASTES = (
    re.compile(rf"对{_THING}(?:严重|特别|非常|有点|也)?过敏"),
    re.compile(
        rf"(?:不吃|不喝|不能吃|不能喝|讨厌|不喜欢|不爱吃|最?怕(?!是)){_THING}(?=[，。；！？、,;!?了]|$)"
    ),
    re.compile(
        rf"(?:最喜欢|最爱|偏爱|更喜欢)(?:的[^，。；！？]{{1,6}}?是)?{_THING}(?=[，。；！？,;!?]|$)"
    ),
)
_NUMERAL = r"(?:\d+|[一二三四五六七八九十百两]{1,4})"
_MEASURED = (
    (
        re.compile(
            rf"(?<![\d一-十零])(?P<value>{_NUMERAL}岁)(?!的?时候?|那年|以[上下]|左右|[的到至]|半?大)"
        ),
        AGE,
    ),
    (
        re.compile(
            r"(?:打|享受?|有)(?P<value>(?:\d(?:\.\d)?|[一二三四五六七八九]{1,2})折)"
        ),
        CODE,
    ),
    (
        re.compile(
            r"(?:房间|办公室|公寓|教室|诊所|会议室|宿舍|我家|公司)[^，。,;；]{0,4}?在(?P<value>[^，。,;；\s]{0,6}?"
            rf"{_NUMERAL}[楼层])(?!梯)"
        ),
        PLACE,
    ),
    (
        re.compile(
            r"(?<![居])住(?:在|址是)(?P<value>(?!(?:一起|这|那|哪|你|他|她|它|我|这里|外面|附近|同一))[^，。；！？,;!?\s了的]{2,30}?)"
            r"(?=[，。；！？,;!?\s]|$|附近|那边|已经)"
        ),
        PLACE,
    ),
)
_CALLED = re.compile(
    r"(?:酒店|宾馆|民宿|旅馆|旅店|客栈|餐厅|餐馆|饭店|饭馆|茶馆|茶楼|[书咖啡花面]店|店名|公司|学校|医院|小区|项目|团队|乐队"
    r"|[小的只条][猫狗]|兔子|仓鼠|鹦鹉|品牌|产品|网络|热点)(?:的?名字)?叫(?:做|作)?"
    r"[“「《]?(?P<value>(?!什么|啥|[得来去了他她它我你])[^，。；！？、,;!?”」》\s]{2,12}?)(?=[”」》]?(?:[，。；！、,;!\s]|$))"
)
_NO_THING = re.compile(r"^(?:你|我|他|她|它|这|那|什么|别人|自己|人|一个|死|呢|吗|吧)")
_ARRANGED = (
    re.compile(
        r"(?:定在|改成|改到|改在|换到|是|每)"
        r"(?P<value>(?:下?周|星期|礼拜)[一二三四五六日天末](?:[上下]午|晚上)?)"
    ),
    re.compile(
        r"(?:定为|取名叫?|名为|改名为|命名为)[“「\"《]?(?P<value>[^”」\"》，。；！？ ]{2,10})"
    ),
)


def chinese_in(
    sentence: str, of_user: bool, people: ChinesePeople
) -> Iterator[Labelled]:
    """The labelled values of ``sentence``, said by the user or the assistant. Of two that overlap the first counts."""
    for pattern in (_LABELLED, _MOBILE):
        for match in pattern.finditer(sentence):
            if _is_code(match["value"]):
                yield Labelled("single fact", *match.span("value"), CODE)
    for match in _EMAIL.finditer(sentence) if of_user and "@" in sentence else ():
        yield Labelled("single fact", *match.span("value"), CODE)
    if of_user:
        yield from _measured(sentence)
        yield from _tastes_and_days(sentence)
    for start, stop in people.places(sentence):
        yield Labelled("name", start, stop, PERSON)


def _is_code(value: str) -> bool:
    """Enough digits, or a code such as SUMMER8."""
    digits = sum(map(str.isdigit, value))
    return digits >= _LEAST_DIGITS or (
        digits > 0 and len(value) >= _LEAST_CODE_CHARS and value.upper() == value
    )


def _measured(sentence: str) -> Iterator[Labelled]:
    """Ages, discounts, floors and addresses, and what a place or an animal is called."""
    for pattern, weight in _MEASURED:
        for match in pattern.finditer(sentence):
            yield Labelled("single fact", *match.span("value"), weight)
    for match in _CALLED.finditer(sentence):
        yield Labelled("name", *match.span("value"), PERSON)


def _tastes_and_days(sentence: str) -> Iterator[Labelled]:
    for pattern in _TASTES:
        for match in pattern.finditer(sentence):
            if HAN.search(match["value"]) and not _NO_THING.search(match["value"]):
                yield Labelled("single fact", *match.span("value"), PERSONAL)
    for pattern in _ARRANGED:
        for match in pattern.finditer(sentence):
            yield Labelled("single fact", *match.span("value"), CHOICE)
