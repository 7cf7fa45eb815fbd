"""Mandarin Chinese: words, units and grammar."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from cosyedge.text.grammar import Clock, Currency, Date, Grammar, currency_table
from cosyedge.text.numerals import Number
from cosyedge.text.units import Unit, UnitWords, unit_words

#: Trait ``liang``: two of it is 两. The temperature's sign is 零下.
UNIT_TABLE = """
°C | 摄氏度 | | temperature
°F | 华氏度 | | temperature
° | 度
°/s | 度每秒
K | 开尔文
% | 百分之{}
‰ | 千分之{}
%RH | 相对湿度百分之{}
m | 米 | | liang
km | 公里 | | liang
cm | 厘米 | | liang
mm | 毫米 | | liang
mi | 英里 | | liang
ft | 英尺 | | liang
yd | 码 | | liang
kn | 节
mph | 英里每小时
m/s² | 米每二次方秒
g | 克 | | liang
kg | 公斤 | | liang
t | 吨 | | liang
lb | 磅 | | liang
oz | 盎司 | | liang
l | 升 | | liang
gal | 加仑 | | liang
GPM | 加仑每分钟
ha | 公顷 | | liang
s | 秒 | | liang
min | 分钟 | | liang
h | 小时 | | liang
d | 天 | | liang
wk | 周 | | liang
Hz | 赫兹
W | 瓦
Wh | 瓦时
kWh | 千瓦时
kWp | 千瓦峰值
VA | 伏安
var | 乏
hp | 马力
V | 伏
A | 安
Ah | 安时
Ω | 欧姆
Pa | 帕
bar | 巴
psi | 磅每平方英寸
atm | 大气压
mmHg | 毫米汞柱
N | 牛
Nm | 牛米
J | 焦
cal | 卡
S | 西门子
Sv | 西弗
Bq | 贝可
mol | 摩尔
rpm | 转每分钟
rps | 转每秒
bpm | 次每分钟
FPS | 帧每秒
ppm | ppm
ppb | ppb
dB | 分贝
dBA | 分贝
dBm | 分贝毫瓦
lx | 勒克斯
lm | 流明
cd | 坎德拉
px | 像素
B | 字节
bit | 比特
KiB | 千字节
MiB | 兆字节
GiB | 吉字节
ct | 分
l/100km | 升每百公里
pcs | 件 | | liang
"""
UNITS = UnitWords(
    words=unit_words(UNIT_TABLE),
    prefixes={
        "T": "太", "G": "吉", "M": "兆", "k": "千", "h": "百", "d": "分", "c": "厘", "m": "毫",
        "µ": "微", "n": "纳",
    },
    square="平方{}",
    cubic="立方{}",
    over="{0}每{1}",
)  # fmt: skip

CURRENCY_TABLE = """
¥ ￥ CN¥ RMB CNY 元 | 元 | 元
$ US$ USD | 美元 | 美元
€ EUR | 欧元 | 欧元
£ GBP | 英镑 | 英镑
JPY JP¥ | 日元 | 日元
₩ KRW | 韩元 | 韩元
HK$ HKD | 港元 | 港元
NT$ TWD | 新台币 | 新台币
A$ AUD | 澳元 | 澳元
C$ CAD | 加元 | 加元
S$ SGD | 新加坡元 | 新加坡元
CHF | 瑞士法郎 | 瑞士法郎
₹ INR | 卢比 | 卢比
"""

SIGNS = {
    "<=": "小于等于", "≤": "小于等于", "⩽": "小于等于", "≦": "小于等于", ">=": "大于等于",
    "≥": "大于等于", "⩾": "大于等于", "≧": "大于等于", "<": "小于", ">": "大于",
    "!=": "不等于", "≠": "不等于", "==": "等于", "=": "等于", "≈": "约等于", "&": "和",
    "+": "加", "±": "正负", "×": "乘", "÷": "除以", "%": "百分号", "°": "度", "→": "到",
    "№": "第", "µ": "微", "Ω": "欧姆", "€": "欧元", "$": "美元", "£": "英镑", "¥": "元",
    "∞": "无穷大",
}  # fmt: skip

_SPEED = re.compile(r"[时時秒]速\D{0,3}$")
_PER_TIME = re.compile(r"每(?:小时|小時|秒)$")

MEASURE_WORDS = (
    "个(?!位)|只|台|件|条|张|位|名|人|次|辆|扇|盏|间|把|套|部|块|片|颗|粒|瓶|杯|碗|盒|箱|袋|包|桶|罐|支|根|枝|本|份|"
    "封|篇|句|遍|趟|回|场|批|组|座|架|艘|列|匹|头|群|双|对|副|种|类|样|项|步|岁|天|周|小时|分钟|秒|年|"
    "点(?!\\d)|点(?=\\d{1,2}\\s?分)|刻|米|公里|千米|厘米|毫米|公斤|千克|克|斤|吨|升|毫升|元|块|角|毛|倍|千|万|亿|户|家|处|道|"
    "节|顿|阵|笔|轮|星期|礼拜|平方|立方|页|盘|滴|股|口|卷|捆|筐|车|趟|声|下(?!午)|发|格|站(?![台点])"
)


class Chinese(Grammar):
    """Two is 两 before a measure word; years, rooms and telephones go digit by digit."""

    code = "zh"
    spaced = False
    digit_words = tuple("零一二三四五六七八九")
    point = "点"
    openers = ("零下", "百分之", "千分之", "相对湿度")
    minus = "负"
    plus = "正"
    dial_plus = "加"
    plus_minus = "正负"
    to = "到"
    stroke = "，"
    less = "减"
    by = "乘"
    about = "约"
    versus = "比"
    dot = "点"
    version = "版本"
    link = "链接"
    at = "艾特"
    name_joint = "杠"
    out_of = "比"
    final_mark = "。"
    units = UNITS
    currencies = currency_table(CURRENCY_TABLE)
    signs: ClassVar[Mapping[str, str]] = SIGNS
    abbreviations = (
        (r"(?<![A-Za-z])vs\.?(?![A-Za-z])|(?<![A-Za-z])VS\.?(?![A-Za-z])", "对"),
        (r"(?<![A-Za-z])N/A(?![A-Za-z])", "不可用"),
        (r"(?<![A-Za-z])(?:Tel|TEL)\s?(?:[:：]|\.(?=\s?\w))", "电话"),
    )
    ratio_words = "比分|比例|比率|比为|比是|配比|比值|得分|战况|混合比|赔率"
    code_words = (
        "房间|房号|会议室|办公室|教室|病房|宿舍|包厢|单号|订单|工单|编号|代码|故障码|错误码|错误|密码|验证码|取件码|"
        "航班|车牌|工号|批号|批次|序列号|分机|分机号|房|尾号|端口|频道|转"
    )
    phone_words = "拨打|电话|手机|热线|致电|联系|号码|传真|报警|急救|拨|打"
    two: ClassVar[str] = "两"
    below_zero: ClassVar[str] = "零下"
    phone_one: ClassVar[str] = "幺"
    measure_words: ClassVar[str] = MEASURE_WORDS
    date_words: ClassVar[tuple[str, str, str]] = ("年", "月", "日")
    clock_words: ClassVar[tuple[str, str, str]] = ("点", "分", "秒")
    halves: ClassVar[dict[str, str]] = {"am": "上午", "pm": "下午"}
    number_mark: ClassVar[str] = "号"
    over_word: ClassVar[str] = "分之"
    and_word: ClassVar[str] = "又"
    code_suffix: ClassVar[str] = r"号?(?:会议室|办公室|教室|病房|病室|宿舍|房间|房|室|病床)"

    def cardinal(self, whole: str) -> str:
        """Say a cardinal; two thousand is 两千, two hundred 二百."""
        said = super().cardinal(whole)
        return self.two + said[1:] if re.match("二[千万亿萬億]", said) else said

    def phone(self, groups: Sequence[str]) -> str:
        """Say one as 幺."""
        return "，".join(self.digits(group) for group in groups).replace("一", self.phone_one)

    def counted(self, number: Number, unit: Unit) -> str:
        """Say 两 before measure words, 零下 before a temperature."""
        sign = self.sign(number.sign)
        if unit.trait == "temperature" and number.sign == "-":
            sign = self.below_zero
        if unit.trait == "liang" and number.is_two:
            return sign + self.two
        return sign + self.unsigned(number)

    def measure(
        self, numbers: Sequence[Number], unit: Unit, joint: str = "", before: str = ""
    ) -> str:
        """Say a part of a hundred with the sign in front of it, and twice in a range."""
        if "{}" not in unit.one:
            said = super().measure(numbers, unit, joint, before)
            # 时速60km/h: the hour is already said.
            return _PER_TIME.sub("", said) if _SPEED.search(before) else said
        parts = (
            self.sign(number.sign) + unit.one.replace("{}", self.unsigned(number))
            for number in numbers
        )
        return (joint or self.to).join(parts)

    def money(self, number: Number, scale: str, currency: Currency) -> str:
        """Say 四点五元: a trailing zero is not said."""
        fraction = number.fraction.rstrip("0")
        plain = Number(number.whole, fraction)
        said = self.two if plain.is_two else self.unsigned(plain)
        return self.sign(number.sign) + said + scale + currency.one

    def clock(self, clock: Clock) -> str:
        """Say 十点零五分, 两点, 下午三点."""
        o_clock, minutes, seconds = self.clock_words
        hour = clock.hour
        half = self.halves.get(clock.half, "")
        if half and hour > 12:
            half = ""
        elif clock.half == "am" and hour == 12:
            hour = 0
        said = half + (self.two if hour == 2 else self.cardinal(str(hour))) + o_clock
        if clock.minute or clock.second:
            lead = self.digit_words[0] if 0 < clock.minute < 10 else ""
            said += lead + self.cardinal(str(clock.minute)) + minutes
        if clock.second:
            said += self.cardinal(str(clock.second)) + seconds
        return said

    def numbered(self, run: str) -> str:
        """Say 三号."""
        return self.code_number(run) + self.number_mark

    def date(self, date: Date) -> str:
        """Say 二零二六年十二月二日."""
        year, month, day = self.date_words
        said = self.year(date.year) + year if date.year else ""
        said += self.cardinal(str(date.month)) + month
        return said + (self.cardinal(str(date.day)) + day if date.day else "")

    def date_range(self, first: Date, last: Date) -> str:
        """Say the month once where it is the same."""
        if last.year or first.month != last.month or not first.day or not last.day:
            return super().date_range(first, last)
        return self.date(first) + self.to + self.cardinal(str(last.day)) + self.date_words[2]

    def year(self, year: str) -> str:
        """Say a year digit by digit."""
        return self.digits(year)

    def fraction(self, whole: str, part: str, of: str) -> str:
        """Say 四分之三, 一又四分之三."""
        said = self.cardinal(of) + self.over_word + self.cardinal(part)
        return self.cardinal(whole) + self.and_word + said if whole else said


GRAMMAR = Chinese()
