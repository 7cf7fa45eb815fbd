"""Cantonese: Mandarin's tables in traditional characters, and what Cantonese says otherwise."""

from cosyedge.text.grammar import currency_table
from cosyedge.text.languages.zh import (
    CURRENCY_TABLE,
    MEASURE_WORDS,
    SIGNS,
    UNIT_TABLE,
    UNITS,
    Chinese,
)
from cosyedge.text.units import UnitWords, unit_words

_TRADITIONAL = str.maketrans(
    "摄华开厘码节顷钟时周赫兹瓦伏欧帕气压银牛焦贝摩转帧亿万亚分贝毫勒流电像素节比特兆吉太纳于负约乘无穷"
    "镑韩台币两个只条张辆盏间块颗罐场组艘头双对种类样项岁礼拜点吨顿库处阵笔轮页盘声发车报热线联系号码传真急编单订错误"
    "验证预频战况赔会议办证室厢",
    "攝華開釐碼節頃鐘時週赫茲瓦伏歐帕氣壓銀牛焦貝摩轉幀億萬亞分貝毫勒流電像素節比特兆吉太納於負約乘無窮"
    "鎊韓台幣兩個隻條張輛盞間塊顆罐場組艘頭雙對種類樣項歲禮拜點噸頓庫處陣筆輪頁盤聲發車報熱線聯繫號碼傳真急編單訂錯誤"
    "驗證預頻戰況賠會議辦證室廂",
)


def _traditional(text: str) -> str:
    return text.translate(_TRADITIONAL)


class Cantonese(Chinese):
    """Two is 兩, a range is 至, a Hong Kong dollar is 蚊."""

    code = "yue"
    point = "點"
    minus = "負"
    plus_minus = "正負"
    to = "至"
    less = "減"
    by = "乘"
    about = "約"
    dot = "點"
    link = "連結"
    at = "at"
    units = UnitWords(
        words=unit_words(_traditional(UNIT_TABLE))
        | unit_words("°C | 度 | | temperature\nmin | 分鐘 | | liang\nh | 小時 | | liang\n"
                     "d | 日 | | liang\ncm | 厘米 | | liang\nwk | 星期"),
        prefixes={**UNITS.prefixes, "n": "納", "c": "厘"},
        square="平方{}",
        cubic="立方{}",
        over="{0}每{1}",
    )  # fmt: skip
    currencies = currency_table(_traditional(CURRENCY_TABLE)) | currency_table(
        "$ HK$ HKD 蚊 | 蚊 | 蚊\nUS$ USD | 美元 | 美元"
    )
    signs = {mark: _traditional(words) for mark, words in SIGNS.items()} | {
        "$": "蚊",
        "→": "至",
        "&": "同",
    }
    abbreviations = (
        (r"(?<![A-Za-z])(?:vs|VS)\.?(?![A-Za-z])", "對"),
        (r"(?<![A-Za-z])N/A(?![A-Za-z])", "暫時無法取得"),
        (r"(?<![A-Za-z])(?:Tel|TEL)\s?(?:[:：]|\.(?=\s?\w))", "電話"),
    )
    ratio_words = "比分|比數|比例|比率|賽果|比為|配比"
    code_words = (
        "房間|房號|會議室|辦公室|課室|教室|病房|宿舍|單號|訂單|工單|編號|代碼|錯誤碼|錯誤|密碼|驗證碼|"
        "航班|車牌|工號|批號|序號|內線|房|室|頻道"
    )
    phone_words = "打|致電|電話|手機|熱線|聯絡|號碼|傳真|報警|撥打|撥"
    two = "兩"
    phone_one = "一"
    measure_words = _traditional(MEASURE_WORDS) + "|個鐘|蚊|毫|餐|萬|億|點鐘"
    clock_words = ("點", "分", "秒")
    date_words = ("年", "月", "日")
    number_mark = "號"
    code_suffix = r"號?(?:會議室|辦公室|課室|教室|病房|宿舍|房間|房|室)"


GRAMMAR = Cantonese()
