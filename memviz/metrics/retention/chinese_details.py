"""Details of a user's Chinese sentences: counts with their noun, times, places, what is ruled out, names of things.

Chinese is written without spaces, so where a value begins and ends is told by the words around it: particles and verbs
that names hardly hold, and the nouns that places end with.
"""

import re
from collections.abc import Iterator

from memviz.metrics.retention.label_words import (
    CHOICE,
    CODE,
    COUNT,
    DAY,
    DETAIL,
    EXCLUDED,
    MONEY,
    PERSON,
    PLACE,
    SOFTWARE,
    TIME,
    Value,
    chinese_kind,
    find_values,
    make_alternatives,
)
from memviz.transcripts.base import Category

_CITIES = make_alternatives(
    """
    北京 上海 天津 重庆 香港 澳门 台北 高雄 广州 深圳 珠海 佛山 东莞 中山 惠州 汕头 湛江 杭州 宁波 温州 绍兴 嘉兴
    湖州 金华 义乌 台州 舟山 南京 苏州 无锡 常州 南通 扬州 镇江 徐州 昆山 合肥 黄山 芜湖 福州 厦门 泉州 漳州 南昌
    景德镇 九江 婺源 济南 青岛 烟台 威海 潍坊 郑州 洛阳 开封 武汉 宜昌 襄阳 长沙 张家界 凤凰 岳阳 南宁 桂林 阳朔
    北海 柳州 海口 三亚 成都 乐山 都江堰 九寨沟 绵阳 宜宾 贵阳 遵义 昆明 大理 丽江 香格里拉 西双版纳 腾冲 拉萨 林芝
    西安 咸阳 延安 兰州 敦煌 张掖 西宁 银川 乌鲁木齐 喀什 伊犁 呼和浩特 沈阳 大连 长春 哈尔滨 石家庄 秦皇岛 保定
    太原 平遥 大同 云南 四川 贵州 广西 广东 海南 福建 浙江 江苏 安徽 江西 湖南 湖北 河南 河北 山东 山西 陕西 甘肃
    青海 宁夏 新疆 西藏 内蒙古 辽宁 吉林 黑龙江 台湾 日本 东京 大阪 京都 奈良 北海道 札幌 冲绳 名古屋 福冈 韩国
    首尔 釜山 济州岛 泰国 曼谷 清迈 普吉岛 越南 河内 新加坡 马来西亚 吉隆坡 印尼 巴厘岛 菲律宾 印度 迪拜 土耳其
    伊斯坦布尔 法国 巴黎 里昂 德国 柏林 慕尼黑 英国 伦敦 爱丁堡 意大利 罗马 米兰 佛罗伦萨 威尼斯 西班牙 马德里
    巴塞罗那 葡萄牙 里斯本 瑞士 苏黎世 荷兰 阿姆斯特丹 希腊 美国 纽约 洛杉矶 旧金山 西雅图 波士顿 加拿大 多伦多
    温哥华 澳大利亚 悉尼 墨尔本 新西兰 奥克兰 埃及 冰岛 挪威 丹麦 芬兰 瑞典
    """
)
_BORDER = (
    "，。、！？；：,.!?;:\\s“”「」《》（）()在去到从住是了的和与跟叫订选换成往给把让请找于为没我你他她它们这那还也都就才又很想要会能可以"
    "打算已经过着等及或给"
)
_CHAR = rf"(?:(?![{_BORDER}])[\u4e00-\u9fffA-Za-z0-9·])"
_PLACE_ENDS = make_alternatives(
    """
    大酒店 酒店 宾馆 民宿 客栈 旅馆 饭店 餐厅 餐馆 酒楼 茶馆 咖啡馆 咖啡店 书店 面馆 火锅店 烤鸭店 面包店 蛋糕店
    花店 公寓 广场 大厦 商场 购物中心 机场 航站楼 火车站 高铁站 地铁站 汽车站 [东南西北]站 公园 乐园 植物园 动物园
    度假村 医院 诊所 药店 大学 学院 中学 小学 幼儿园 博物馆 美术馆 图书馆 体育馆 剧院 古镇 古城 老街 景区 风景区 寺
    湖 雪山 山庄 半岛 大道 步行街 工业园区 产业园 创意园 园区 开发区 小区 花园 超市 健身房 工厂 仓库 码头 银行 社区
    会展中心 中心 [路街巷弄](?:\\d+号(?:[^，。；！？,\\s]{0,8}[\\d栋楼室座])?)?
    """
)
_NUMERAL = r"(?:\d[\d,.]*(?:[万千百亿])?|[一二两三四五六七八九十百千万亿零半]{1,7})"
_COUNTED = (
    "(?:平方米|平米|公斤|千克|毫克|毫升|毫米|厘米|公里|海里|英寸|小时|分钟|刻钟|个半小时|个月|个星期|个礼拜|人份|人次|块钱|年级"
    "|号楼|单元|[人口位间台份张件套箱瓶杯斤克吨米天晚夜周年页章字层楼栋遍场节桌盒包只条辆匹本篇行列岁折度寸星轮户单集班站寸亩元块万亿%]"
    "|升(?![到级])|GB|MB|TB|kg|km|cm|mm|ml|mg|g|m|k|K|W|V)"
)
_DONT = "(?<![特区类个分级性告差])别"
"""Not as the end of a word: "特别小心" says to be careful."""
_NOT_COUNTED = re.compile(
    r"^(?:[一半]{1,2}[天位份件台张条只本场遍次年行层人口周页节杯瓶块点]?|[十百千万亿零]|第?一[人口位].*|万[一元人].*|[一二两三]?[十百千万]分.*)$"
    r"|^(?:一些|一样|一直|一起|一般|一定|一下|一共|十分|千万|万分|百分|三年级的)$"
)
_THINGS = (
    "(?:孩子|小孩|大人|老人|成人|儿童|朋友|同事|客人|学生|员工|房间|卧室|城市|国家|车位|座位|行李箱|项目|产品|版本|服务器|节点|副本|接口"
    "|门店|仓库|站点|角色|章节|女儿|儿子|人|月|小时|星期|礼拜|班|组|包|箱|部门|账号|供应商|客户|样品|颜色|尺寸|工位|摊位|桌子)"
)
_HOUR = r"(?:[01]?\d|2[0-4]|[一二两三四五六七八九]|十[一二]?)"
_PART_OF_DAY = "(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|半夜|早|晚)"
_FEASTS = make_alternatives(
    "国庆(?:节)? 春节 除夕 元旦 五一 清明(?:节)? 端午(?:节)? 中秋(?:节)? 元宵(?:节)? 圣诞(?:节)? 双十一 双十二"
    " 情人节 母亲节 父亲节 儿童节 暑假 寒假 年底 月底 年初 月初"
)
_END = r"(?=[，。；！？、,;!?\s]|$)"
_ITEM = r"(?P<value>(?![我你他她它这那什么太再着急担心让])[^，。；！？、,;!?\s的了吧呢啊]{2,9}?)"
_OUT = "(?:不去|不要|不做|不吃|不买|不用|不选|不考虑|不看|不订|不住|不参加|不行|除外|算|取消|免|排除)"

_DETAILS: tuple[tuple[re.Pattern[str], Category, float, str], ...] = (
    (
        re.compile(
            rf"(?P<value>{_CHAR}{{1,12}}[路街道巷弄]\d+号"
            r"(?:[^，。；！？,;!?\s]{0,10}[\d栋楼室座])?)"
        ),
        "name",
        PLACE,
        "",
    ),
    (re.compile(r"(?P<value>https?://[^\s，。；）)]+)"), "single fact", CODE, ""),
    (
        re.compile(
            r"端口(?:号)?(?:是|为|用|改成|改为|换成|从|：|:| )*(?P<value>\d{2,5})"
        ),
        "number",
        CODE,
        "",
    ),
    (
        re.compile(r"(?<![\w.])(?P<value>[vV]?\d+\.\d+\.\d+(?:\.\d+)?)(?![\w.])"),
        "number",
        SOFTWARE,
        "",
    ),
    (
        re.compile(
            r"版本(?:号)?(?:是|为|用|升级?到|降到|从|：|:| )*(?P<value>[vV]?\d+"
            r"(?:\.\d+)*)"
        ),
        "number",
        SOFTWARE,
        "",
    ),
    (
        re.compile(
            r"(?<![\w/.-])(?P<value>(?:~|\.{0,2})(?:/[\w.@-]+)+|[\w-]+(?:/[\w.-]+)+)",
            re.ASCII,
        ),
        "single fact",
        SOFTWARE,
        "",
    ),
    (
        re.compile(
            r"(?<![\w])(?P<value>[A-Za-z][\w+#.-]*(?: [A-Za-z][\w+#.-]*){0,2} \d+(?:\.\d+)*)(?![\w.])",
            re.ASCII,
        ),
        "single fact",
        SOFTWARE,
        "",
    ),
    (
        re.compile(
            r"(?<![\w-])(?P<value>(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*)(?![\w-])",
            re.ASCII,
        ),
        "single fact",
        SOFTWARE,
        "",
    ),
    (
        re.compile(r"[“「『\"《](?P<value>[^”」』\"》，。！？]{2,20})[”」』\"》]"),
        "name",
        CHOICE,
        "",
    ),
    (
        re.compile(
            rf"(?P<value>(?:(?:今|明|后|去)年)?(?:\d{{4}}年)?{_HOUR}月(?:\d{{1,2}}"
            r"|[一二三四五六七八九十]{1,3})[日号])"
        ),
        "single fact",
        DAY,
        "",
    ),
    (
        re.compile(
            rf"(?P<value>(?:(?:今|明|后|去)年|\d{{4}}年){_HOUR}月(?:[底初中]|[上中下]旬)?|{_HOUR}月(?:底|初|中旬|[上下]旬|份))"
        ),
        "single fact",
        DAY,
        "",
    ),
    (re.compile(r"(?P<value>(?:19|20)\d\d年)"), "single fact", DAY, ""),
    (
        re.compile(r"(?<![\d月])(?P<value>\d{1,2}[号日])(?![楼线院])"),
        "single fact",
        DAY,
        "",
    ),
    (
        re.compile(
            rf"(?P<value>(?:上|下|本|这|每)?(?:个)?(?:周|星期|礼拜)[一二三四五六日天末](?:{_PART_OF_DAY}"
            rf"(?!{_HOUR}点))?)"
        ),
        "single fact",
        DAY,
        "",
    ),
    (re.compile(rf"(?P<value>{_FEASTS})"), "single fact", DAY, ""),
    (
        re.compile(
            rf"(?P<value>{_PART_OF_DAY}{_HOUR}[点时](?:半|钟|[一三]刻|(?:\d{{1,2}}|[零一二三四五六七八九十]{{1,3}})分?)?"
            rf"|(?!一点(?!半))(?<![有差早晚快慢好大小多]){_HOUR}点(?:半|钟|[一三]刻|(?:\d{{1,2}}|[零一二三四五六七八九十]{{1,3}})分?)?)"
        ),
        "single fact",
        TIME,
        "",
    ),
    (
        re.compile(r"(?<![\d:])(?P<value>(?:[01]?\d|2[0-3])[:：][0-5]\d)(?![\d:])"),
        "single fact",
        TIME,
        "",
    ),
    (
        re.compile(r"(?:姓)(?P<value>[\u4e00-\u9fff])(?=[，。；！？、,;!?\s]|$|的)"),
        "name",
        PERSON,
        "姓",
    ),
    (re.compile(rf"(?P<value>{_CHAR}{{1,10}}{_PLACE_ENDS})"), "name", PLACE, ""),
    (re.compile(rf"(?P<value>{_CITIES})"), "name", PLACE, ""),
    (
        re.compile(
            r"(?P<value>\d+(?:\.\d+)?(?:乘以?|[xX×*])\d+(?:\.\d+)?(?:(?:乘以?|[xX×*])\d+(?:\.\d+)?)?(?:厘米|毫米|米|cm|mm|m)?)"
        ),
        "number",
        COUNT,
        "",
    ),
    (
        re.compile(
            r"(?P<value>[一二两三四五六七八九十]{0,2}[百千万亿][一二两三四五六七八九十百千万]{0,5}|\d[\d,.]*[万千亿])(?:元|块|块钱)?(?![一-鿿]?分之)"
        ),
        "number",
        MONEY,
        "",
    ),
    (re.compile(rf"(?P<value>{_NUMERAL}个(?:半)?{_THINGS})"), "number", COUNT, ""),
    (
        re.compile(
            rf"(?<![第几这那每上下])(?<!第 )(?P<value>(?:百分之)?{_NUMERAL}{_COUNTED}(?:半|[房票床桌菜课车]"
            r"(?![\u4e00-\u9fff]))?)"
        ),
        "number",
        COUNT,
        "",
    ),
    (
        re.compile(r"(?P<value>百分之[一二三四五六七八九十百零]{1,4})"),
        "number",
        COUNT,
        "",
    ),
    (
        re.compile(
            r"(?P<value>第(?!一[^二三四五六七八九十])[一二三四五六七八九十\d]{1,3}(?:天|晚|章|节|页|层|栋"
            r"|排|组|批|期|轮|季度))"
        ),
        "single fact",
        COUNT,
        "",
    ),
    (
        re.compile(
            rf"(?:不要(?:安排|用|选|放|加|买|去|提|给|推荐|订|有)?|不想[要去吃买用看]?|{_DONT}(?:再)?(?:安排|用|选|放|加|买|去|提|给|推荐|订)?|排除(?:了)?|除了|不考虑|不去|不(?:能|可以?|用)(?:用|吃|去|放|加|有|安排|选|喝|动|碰|改|低于|超过)?"
            r"|拒绝(?:了)?|放弃(?:了)?|取消(?:了)?|不接受|不含|不支持|禁止|忌口?|戒"
            rf"(?:了)?){_ITEM}{_END}"
        ),
        "single fact",
        EXCLUDED,
        "排除",
    ),
    (
        re.compile(
            rf"(?:^|[，。；、,;]|所以|那|但|不过)(?P<value>[^，。；！？、,;!?\s我你他她这那所以不过就]{{2,9}}?)(?:就|都|也|已经|暂时)*{_OUT}(?:了|吧|掉)?{_END}"
        ),
        "single fact",
        EXCLUDED,
        "排除",
    ),
    (
        re.compile(
            r"(?P<value>晕车|晕船|晕机|恐高|怀孕|失眠|高血压|低血糖|糖尿病|哮喘|近视|色盲|素食|吃素|不吃肉|乳糖不耐受?|痛风|胃病|腰椎间盘突出|鼻炎|湿疹)"
        ),
        "single fact",
        PERSON,
        "",
    ),
    (
        re.compile(
            r"(?P<value>左?右?(?:膝盖|腰|胃|心脏|颈椎|肩膀|视力|听力|睡眠|记性|脚踝|膝关节|牙))(?:最近|一直|也|都)?(?:不(?:太|大)?好|疼|痛|受过?伤|做过手术|有问题)"
        ),
        "single fact",
        PERSON,
        "",
    ),
    (
        re.compile(
            rf"(?:改(?:成|为|到|去|用|订|走|坐)|换(?:成|到|为|了)|定(?:为|在|了)|选(?:了|择|定)?|决定(?:用|去|选|买)|只(?:考虑|要|用|做|吃|能)|用的是|都用|只用|[前后]端用|开(?:的是|一辆)|买了|订了|喜欢(?!画|看|吃)|爱(?:吃|喝|看|听)"
            rf"|坐|推荐了|负责|养了?|想看|想吃|想学|主打|主要做){_ITEM}{_END}"
        ),
        "single fact",
        DETAIL,
        "",
    ),
    (
        re.compile(
            rf"(?:预算|主题|颜色|题目|名称|名字|店名|产品名?|项目名?|品牌|供应商|客户|联系人|负责人|房东|老板|专业|职业|工作|行业|目标|底线|上限|下限|截止(?:日期|时间)?|风格|材质"
            rf"|型号|车型|语言|框架|数据库|服务器|域名|分支|区域|平台|收件人|主角|男主|女主|凶手|背景|口味|尺码|鞋码|酒店|餐厅|航班|车次|出版社|编辑|导师|学校|公司|医院|医生|保险|银行|快递)"
            r"(?:暂?定)?(?:就|还|也|只|现在)?(?:是|为|叫(?:做)?|用|选|跑在|放在|在|："
            rf"|:)[“「《]?{_ITEM}[”」》]?{_END}"
        ),
        "single fact",
        DETAIL,
        "",
    ),
    (
        re.compile(
            r"(?:去|到|住|飞|来自|位于|搬到|搬去|路过|途经|回|游|在)"
            rf"(?P<value>{_CHAR}{{2,8}}){_END}"
        ),
        "name",
        DETAIL,
        "",
    ),
    (
        re.compile(
            r"(?<![\w])(?P<value>(?!(?:OK|ok|xlsx|ICP|app|APP|ppt|PPT|APP|hi|Hi|hello|AI"
            r"|ai)\b)[A-Za-z][A-Za-z+#.&'-]*[A-Za-z+#](?: [A-Z][A-Za-z]+)*)(?![\w])",
            re.ASCII,
        ),
        "name",
        DETAIL,
        "",
    ),
    (
        re.compile(
            r"(?<![\w.:/第-])(?<!第 )(?P<value>\d{2,}(?:[.,]\d+)*|\d+\.\d+)(?![\w.:/-]*\d)(?!"
            r" ?[+=×*])",
            re.ASCII,
        ),
        "number",
        COUNT,
        "",
    ),
)
_EMPTY = re.compile(
    r"^(?:[没有]*(?:出路|思路|套路|线路|道路|马路|公路|铁路)|时候|餐厅|饭店|酒店|民宿|宾馆|学校|公司|医院|超市|银行|小区|公园|机场|车站|地方|东西|问题|事情|意思|办法|意见|一下.*|一些.*|好|其他.*|别的.*|别人|大家|自己|任何.*|哪.*|什么.*|[个家间座条只是给次看]..*|一[个家间座].*|.*(?:里|上|下|中|后|(?<!小)时|内|外|前|吗|吧|一会儿|起来|出来|过来|回来)|.*[做吃看听]成.*|写成.*|[想学][^，]*|怎么.*|家|家里|里面|上面|下面|外面|附近|这里|那里|路上|手上|一起|客气|告诉.*|帮.*|问.*|知道.*|觉得.*|忘.*"
    r"|说.*|看看|想想|试试|时间|担心.*|着急|考虑.*|解释.*|继续.*|需要.*|一个.*|几.*|多少.*|中心|网上|市场上|市中心|这样.*|那样.*|太.*|更.*|最.*|再.*)$"
)


def _is_detail(value: str) -> bool:
    return _NOT_COUNTED.search(value) is None and _EMPTY.search(value) is None


_STANDING = re.compile("以后|今后|从现在|每[次篇封条个]|永远|一律|都")
"""What holds for more than one answer: "以后每次不超过一百字"."""
_KINDS = [
    chinese_kind(pattern, weight, category, is_value=_is_detail, hint=hint)
    for pattern, category, weight, hint in _DETAILS
]


def find_details(sentence: str) -> Iterator[Value]:
    """Yield the details of a user's ``sentence``. Of two that overlap the first counts.

    The length of the text that a sentence asks for is none: "正文六十字左右".
    """
    is_standing = _STANDING.search(sentence) is not None
    for value in find_values(_KINDS, sentence):
        if is_standing or sentence[value.stop - 1] != "字":
            yield value
