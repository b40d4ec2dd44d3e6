"""Values that Chinese sentences name as what they are: numbers with a label, allergies and tastes, days, people.

Chinese is written without spaces, so nothing says where a name ends. A family name at its beginning, a word in front
of it that announces a person ("叫", "同事"), and how the conversation has it elsewhere do. A segmenter does not help
much: rjieba, the light one that is kept up (4.6 MB), takes 56 words of the bundled Chinese conversation for people,
"许可" and "过敏" among them; 20 are people, and family names would still be needed to tell. jieba was last released
in 2020."""

import re
from collections.abc import Iterable, Iterator

from memviz.core.text.words import HAN, has_han
from memviz.metrics.retention.label_words import (
    AGE,
    CHOICE,
    CODE,
    EMAIL,
    PERSON,
    PERSONAL,
    PLACE,
    Value,
    chinese_kind,
    find_values,
    make_alternatives,
)

_COMMON = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐韩冯邓曹"
    "彭曾袁潘蒋蔡余杜程苏魏吕沈姚卢姜崔钟谭陆汪廖贾秦邱薛顾龚邵"
)
"""Family names that seldom begin another word."""
_FAMILY = make_alternatives(
    f"""
    欧阳 司马 上官 诸葛 司徒 东方 夏侯 皇甫 尉迟 公孙 慕容 令狐
    [{_COMMON}高肖田董叶丁任范金石夏韦付方白邹孟熊江尹闫段雷侯龙史陶黎贺毛郝万钱严覃武]
    [戴莫孔汤温康文樊葛邢齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿兰焦俞左柳甘祝包宁尚符舒阮]
    [柯纪梅童凌毕季裴霍涂苗谷曲翁冉骆蓝游辛靳管柴蒙鲍华喻祁蒲房滕屈饶牟艾尤阳穆卓古吉缪简]
    """
)
_TITLE = make_alternatives(
    """老师 医生 大夫 经理 师傅 先生 女士 小姐 阿姨 叔叔 教授 律师 主任 主管 总监 校长 院长 老板 同学 教练 导师
    队长 护士 会计 工 总 姐 哥 伯 叔 婶 姨 爷爷 奶奶"""
)
_ROLE = make_alternatives(
    """老师 医生 大夫 经理 师傅 同事 老板 房东 邻居 朋友 闺蜜 同学 室友 男友 女友 男朋友 女朋友 老公 老婆 丈夫 妻子
    儿子 女儿 爸爸 妈妈 父亲 母亲 哥哥 弟弟 姐姐 妹妹 表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹 叔叔 阿姨 舅舅 姑姑
    外婆 外公 爷爷 奶奶 合伙人 客户 律师 会计 教练 导师 主管 助理 秘书 茶艺师 设计师 工程师 店长 店员 中介 老乡
    联系人 负责人 主任 教授"""
)
_IN_NO_NAME = (
    "他她它我你您到再又还可先该只从向的了是在有和与跟说给就都也很会能要想来去做把被对不没这那们个问叫看让请找带"
    "时后前里上下过着得地吗呢吧啊"
)
_GOES_ON = make_alternatives(
    r"""今年 明年 去年 今天 明天 昨天 喜欢 讨厌 已经 最 每[天周月年] 打算 正在 生日 电话 手机 特别 非常 觉得 认识 建议
    推荐 介绍 开始 结婚 毕业 工作 住 爱[吃喝看听玩] 怕 刚 比 [一二三四五六七八九十\d]+岁"""
)
"""What follows a name and is no part of it."""
_GIVEN = f"(?:(?![{_IN_NO_NAME}]|{_GOES_ON})[\u4e00-\u9fff])"
_ANNOUNCED = re.compile(
    rf"(?:名叫|叫做|叫|名字是|我是|(?:{_ROLE}|我(?:先生|太太|爱人))(?:是|叫|：)?)"
    rf"(?P<value>{_FAMILY}{_GIVEN}{{1,2}}|[小老阿]{_GIVEN}{{1,2}})"
)
_TWICE = re.compile(
    r"我(?:的|家)?(?:儿子|女儿|孩子|宝宝|孙子|孙女|外甥女?|侄子|侄女|[弟妹][弟妹]|猫|狗)(?P<value>(?![妈爸爸爷奶哥姐弟妹天常刚慢往渐仅明每偏早晚]"
    r")(?P<one>[\u4e00-\u9fff])(?P=one))"
)
"""A child's name, often one character twice: 乐乐."""
_CALLED = re.compile(
    rf"(?:名叫|叫做|(?<!们)叫|名字是)(?P<value>{_GIVEN}{{2,3}})(?=[，。！；、,;!]|$)"
)
_TITLED = re.compile(
    rf"(?<![一二两三四五六七八九十几每这那整])"
    rf"(?P<value>[{_COMMON}]{_TITLE}|[小老阿][{_COMMON}](?![子家板师婆公伴外乡实]))(?!{_TITLE})"
)
_NO_NAME = re.compile(
    make_alternatives(
        """什么 怎么 这样 那个 老家 小马 小米 白色 高兴 小时 叫停 平时 方便 成本 成为 解决 文件 许可 毕竟 游戏 马上
        万一 明白 全部 应该 强调 外卖 快递 出租"""
    )
)


class ChinesePeople:
    """Finds the names of people in the sentences of one conversation, ``texts``."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = "\n".join(filter(has_han, texts))
        self._ended: dict[str, str] = {}

    def places(self, sentence: str) -> Iterator[tuple[int, int]]:
        """Yield where names begin and end in ``sentence``."""
        for pattern in (_ANNOUNCED, _TWICE, _CALLED, _TITLED):
            for match in pattern.finditer(sentence):
                name = match["value"]
                if pattern is _ANNOUNCED:
                    name = self._until_its_end(match)
                if not _NO_NAME.search(name):
                    start = match.start("value")
                    yield start, start + len(name)

    def _until_its_end(self, match: re.Match[str]) -> str:
        """Return the name without its last character, if the conversation has it without that one as well. A pet name
        such as 小雨 is taken for two characters, unless the third comes with it again or ends the clause."""
        name = match["value"]
        if name not in self._ended:
            shorter = name[:-1]
            times = self._text.count(name)
            is_pet_name = name[0] in "小老阿" and times == 1
            goes_on = self._text.count(shorter) > times
            if is_pet_name and HAN.match(match.string, match.end()):
                goes_on = True
            self._ended[name] = shorter if goes_on and len(shorter) >= 2 else name
        return self._ended[name]


_LABEL = make_alternatives(
    """密码 门禁 验证码 取件码 口令 电话 手机号? 座机 号码 账号 帐号 账户 卡号 税号 编号 单号 订单号? 预订号 预约号
    优惠码 折扣码 兑换码 邀请码 车牌号? 身份证号? 护照号? 会员号 学号 工号 门牌号? 房间号? QQ 微信号? 序列号 流水号
    合同号 税务登记号 识别号"""
)
_LEAST_DIGITS = 3
_LEAST_CODE_CHARS = 5
_THING = "(?P<value>[^，。；！？、,;!?的了 ]{1,8}?)"
_NUMERAL = r"(?:\d+|[一二三四五六七八九十百两]{1,4})"
_NO_THING = re.compile(r"^(?:你|我|他|她|它|这|那|什么|别人|自己|人|一个|死|呢|吗|吧)")


def _is_code(value: str) -> bool:
    """Return whether it has enough digits, or is a code such as SUMMER8."""
    digits = sum(map(str.isdigit, value))
    if digits >= _LEAST_DIGITS:
        return True
    return digits > 0 and len(value) >= _LEAST_CODE_CHARS and value.upper() == value


def _is_taste(value: str) -> bool:
    return HAN.search(value) is not None and _NO_THING.search(value) is None


_KINDS = (
    chinese_kind(
        rf"{_LABEL}[^，。；！？,;!?\d]{{0,6}}?(?:是|为|改成|改为|换成|：|:)? ?"
        r"(?P<value>\+?[A-Za-z0-9\u4e00-\u9fff]?-?[A-Za-z0-9][A-Za-z0-9 #*/_.-]{1,28}[A-Za-z0-9])(?!\w*[元块%天])",
        CODE,
        of_user=False,
        is_value=_is_code,
    ),
    chinese_kind(
        r"(?<!\d)(?P<value>1[3-9]\d[- ]?\d{4}[- ]?\d{4})(?!\d)",
        CODE,
        of_user=False,
        is_value=_is_code,
    ),
    chinese_kind(re.compile(rf"(?P<value>{EMAIL})", re.ASCII), CODE),
    chinese_kind(
        rf"(?<![\d一-十零])(?P<value>{_NUMERAL}岁)(?!的?时候?|那年|以[上下]|左右|[的到至]|半?大)",
        AGE,
    ),
    chinese_kind(
        r"(?:打|享受?|有)(?P<value>(?:\d(?:\.\d)?|[一二三四五六七八九]{1,2})折)", CODE
    ),
    chinese_kind(
        r"(?:房间|办公室|公寓|教室|诊所|会议室|宿舍|我家|公司)[^，。,;；]{0,4}?在(?P<value>[^，。,;；\s]{0,6}?"
        rf"{_NUMERAL}[楼层])(?!梯)",
        PLACE,
    ),
    chinese_kind(
        r"(?<![居])住(?:在|址是)(?P<value>(?!(?:一起|这|那|哪|你|他|她|它|我|这里|外面|附近|同一))[^，。；！？,;!?\s了的]{2,30}?)"
        r"(?=[，。；！？,;!?\s]|$|附近|那边|已经)",
        PLACE,
    ),
    chinese_kind(
        r"(?:酒店|宾馆|民宿|旅馆|旅店|客栈|餐厅|餐馆|饭店|饭馆|茶馆|茶楼|[书咖啡花面]店|店名|公司|学校|医院|小区|项目|团队|乐队"
        r"|[小的只条][猫狗]|兔子|仓鼠|鹦鹉|品牌|产品|网络|热点)(?:的?名字)?叫(?:做|作)?"
        r"[“「《]?(?P<value>(?!什么|啥|[得来去了他她它我你])[^，。；！？、,;!?”」》\s]{2,12}?)(?=[”」》]?(?:[，。；！、,;!\s]|$))",
        PERSON,
        "name",
    ),
    chinese_kind(
        rf"对{_THING}(?:严重|特别|非常|有点|也)?过敏", PERSONAL, is_value=_is_taste
    ),
    chinese_kind(
        rf"(?:不吃|不喝|不能吃|不能喝|讨厌|不喜欢|不爱吃|最?怕(?!是)){_THING}(?=[，。；！？、,;!?了]|$)",
        PERSONAL,
        is_value=_is_taste,
    ),
    chinese_kind(
        rf"(?:最喜欢|最爱|偏爱|更喜欢)(?:的[^，。；！？]{{1,6}}?是)?{_THING}(?=[，。；！？,;!?]|$)",
        PERSONAL,
        is_value=_is_taste,
    ),
    chinese_kind(
        r"(?:定在|改成|改到|改在|换到|是|每)"
        r"(?P<value>(?:下?周|星期|礼拜)[一二三四五六日天末](?:[上下]午|晚上)?)",
        CHOICE,
    ),
    chinese_kind(
        r"(?:定为|取名叫?|名为|改名为|命名为)[“「\"《]?(?P<value>[^”」\"》，。；！？ ]{2,10})",
        CHOICE,
    ),
)
_KINDS_OF_BOTH = [kind for kind in _KINDS if not kind.of_user]


def find_chinese_values(
    sentence: str, of_user: bool, people: ChinesePeople
) -> Iterator[Value]:
    """Yield the labelled values of ``sentence``, said by the user or the assistant. Of two that overlap the first
    counts."""
    yield from find_values(_KINDS if of_user else _KINDS_OF_BOTH, sentence)
    for start, stop in people.places(sentence):
        yield Value("name", start, stop, PERSON)
