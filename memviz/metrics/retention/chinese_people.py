"""Names of people in Chinese sentences.

Chinese is written without spaces, so nothing says where a name ends. A family name at its beginning, a word in front
of it that announces a person ("叫", "同事"), and how the conversation has it elsewhere do. A segmenter does not help
much: rjieba, the light one that is kept up (4.6 MB), takes 56 words of the bundled Chinese conversation for people,
"许可" and "过敏" among them; 20 are people, and family names would still be needed to tell. jieba was last released
in 2020.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memviz.core.text.words import HAN
from memviz.metrics.retention.label_words import one_of

_COMMON = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐韩冯邓曹"
    "彭曾袁潘蒋蔡余杜程苏魏吕沈姚卢姜崔钟谭陆汪廖贾秦邱薛顾龚邵"
)
"""Family names that seldom begin another word."""
_FAMILY = one_of(
    f"""
    欧阳 司马 上官 诸葛 司徒 东方 夏侯 皇甫 尉迟 公孙 慕容 令狐
    [{_COMMON}高肖田董叶丁任范金石夏韦付方白邹孟熊江尹闫段雷侯龙史陶黎贺毛郝万钱严覃武]
    [戴莫孔汤温康文樊葛邢齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿兰焦俞左柳甘祝包宁尚符舒阮]
    [柯纪梅童凌毕季裴霍涂苗谷曲翁冉骆蓝游辛靳管柴蒙鲍华喻祁蒲房滕屈饶牟艾尤阳穆卓古吉缪简]
    """
)
_TITLE = one_of(
    """老师 医生 大夫 经理 师傅 先生 女士 小姐 阿姨 叔叔 教授 律师 主任 主管 总监 校长 院长 老板 同学 教练 导师
    队长 护士 会计 工 总 姐 哥 伯 叔 婶 姨 爷爷 奶奶"""
)
_ROLE = one_of(
    """老师 医生 大夫 经理 师傅 同事 老板 房东 邻居 朋友 闺蜜 同学 室友 男友 女友 男朋友 女朋友 老公 老婆 丈夫 妻子
    儿子 女儿 爸爸 妈妈 父亲 母亲 哥哥 弟弟 姐姐 妹妹 表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹 叔叔 阿姨 舅舅 姑姑
    外婆 外公 爷爷 奶奶 合伙人 客户 律师 会计 教练 导师 主管 助理 秘书 茶艺师 设计师 工程师 店长 店员 中介 老乡
    联系人 负责人 主任 教授"""
)
_IN_NO_NAME = (
    "他她它我你您到再又还可先该只从向的了是在有和与跟说给就都也很会能要想来去做把被对不没这那们个问叫看让请找带"
    "时后前里上下过着得地吗呢吧啊"
)
_GOES_ON = one_of(
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
    one_of(
        """什么 怎么 这样 那个 老家 小马 小米 白色 高兴 小时 叫停 平时 方便 成本 成为 解决 文件 许可 毕竟 游戏 马上
        万一 明白 全部 应该 强调 外卖 快递 出租"""
    )
)


class ChinesePeople:
    """Finds the names of people in the sentences of one conversation, ``texts``."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = "\n".join(
            text for text in texts if not text.isascii() and HAN.search(text)
        )
        self._ended: dict[str, str] = {}

    def places(self, sentence: str) -> Iterator[tuple[int, int]]:
        """Where names begin and end in ``sentence``."""
        for pattern in (_ANNOUNCED, _TWICE, _CALLED, _TITLED):
            for match in pattern.finditer(sentence):
                name = (
                    self._until_its_end(match)
                    if pattern is _ANNOUNCED
                    else match["value"]
                )
                if not _NO_NAME.search(name):
                    yield match.start("value"), match.start("value") + len(name)

    def _until_its_end(self, match: re.Match[str]) -> str:
        """The name without its last character, if the conversation has it without that one as well. A pet name such as
        小雨 is taken for two characters, unless the third comes with it again or ends the clause."""
        name = match["value"]
        if name not in self._ended:
            shorter = name[:-1]
            times = self._text.count(name)
            is_pet_name = (
                name[0] in "小老阿"
                and times == 1
                and HAN.match(match.string, match.end()) is not None
            )
            goes_on = len(shorter) >= 2 and (
                is_pet_name or self._text.count(shorter) > times
            )
            self._ended[name] = shorter if goes_on else name
        return self._ended[name]
