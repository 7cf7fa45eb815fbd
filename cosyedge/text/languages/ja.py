"""Japanese: words, units and grammar. Numbers stay in kanji, whose reading the voice knows."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from cosyedge.text.grammar import Clock, Currency, Date, Grammar, currency_table
from cosyedge.text.numerals import Number
from cosyedge.text.units import UnitWords, unit_words

UNITS = UnitWords(
    words=unit_words("""
°C | 度 | | temperature
°F | 華氏{}度 | | temperature
° | 度
°/s | 度毎秒
K | ケルビン
% | パーセント
‰ | パーミル
%RH | パーセント
m | メートル
mi | マイル
ft | フィート
yd | ヤード
kn | ノット
mph | 時速{}マイル
km/h | 時速{}キロメートル
m/s | 毎秒{}メートル
m/s² | メートル毎秒毎秒
g | グラム
t | トン
lb | ポンド
oz | オンス
l | リットル
gal | ガロン
GPM | ガロン毎分
ha | ヘクタール
s | 秒
min | 分
h | 時間
d | 日
wk | 週間
Hz | ヘルツ
W | ワット
Wh | ワット時
kWp | キロワットピーク
VA | ボルトアンペア
var | バール
hp | 馬力
V | ボルト
A | アンペア
Ah | アンペア時
Ω | オーム
MΩ | メグオーム
Pa | パスカル
bar | バール
psi | ピーエスアイ
atm | 気圧
mmHg | ミリメートルエイチジー
N | ニュートン
Nm | ニュートンメートル
J | ジュール
cal | カロリー
S | ジーメンス
Sv | シーベルト
Bq | ベクレル
mol | モル
rpm | 毎分{}回転
rps | 毎秒{}回転
bpm | ビーピーエム
FPS | フレーム毎秒
ppm | ピーピーエム
ppb | ピーピービー
dB | デシベル
dBA | デシベル
dBm | ディービーエム
lx | ルクス
lm | ルーメン
cd | カンデラ
px | ピクセル
B | バイト
bit | ビット
KiB | キビバイト
MiB | メビバイト
GiB | ギビバイト
ct | セント
l/100km | リットル毎百キロメートル
pcs | 個
"""),
    prefixes={
        "T": "テラ", "G": "ギガ", "M": "メガ", "k": "キロ", "h": "ヘクト", "d": "デシ",
        "c": "センチ", "m": "ミリ", "µ": "マイクロ", "n": "ナノ",
    },
    square="平方{}",
    cubic="立方{}",
    over="{0}毎{1}",
    below={"h": "時"},
)  # fmt: skip


class Japanese(Grammar):
    """Zero is 零 in a number and 〇 in a code."""

    code = "ja"
    spaced = False
    digit_words = tuple("〇一二三四五六七八九")
    point = "点"
    openers = ("時速", "秒速", "華氏", "毎分", "毎秒")
    compared: ClassVar[Mapping[str, str]] = {
        "<": "未満",
        ">": "超",
        "<=": "以下",
        "≤": "以下",
        "≦": "以下",
        ">=": "以上",
        "≥": "以上",
        "≧": "以上",
    }
    minus = "マイナス"
    plus = "プラス"
    plus_minus = "プラスマイナス"
    to = "から"
    stroke = "の"
    less = "引く"
    by = "掛ける"
    about = "約"
    versus = "対"
    dot = "ドット"
    version = "バージョン"
    link = "リンク"
    at = "アットマーク"
    name_joint = "の"
    out_of = "対"
    final_mark = "。"
    units = UNITS
    currencies = currency_table("""
¥ ￥ JPY 円 | 円 | 円
$ US$ USD | ドル | ドル | セント | セント
€ EUR | ユーロ | ユーロ | セント | セント
£ GBP | ポンド | ポンド | ペンス | ペンス
CN¥ RMB CNY 元 | 元 | 元
₩ KRW | ウォン | ウォン
HK$ HKD | 香港ドル | 香港ドル
NT$ TWD | 台湾ドル | 台湾ドル
A$ AUD | オーストラリアドル | オーストラリアドル
C$ CAD | カナダドル | カナダドル
S$ SGD | シンガポールドル | シンガポールドル
CHF | スイスフラン | スイスフラン
₹ INR | ルピー | ルピー
""")
    signs: ClassVar[Mapping[str, str]] = {
        "<=": "以下", "≤": "以下", "≦": "以下", ">=": "以上", "≥": "以上", "≧": "以上",
        "<": "小なり", ">": "大なり", "!=": "ノットイコール", "≠": "ノットイコール",
        "==": "イコール", "=": "イコール", "≈": "約", "&": "アンド", "+": "プラス",
        "±": "プラスマイナス", "×": "掛ける", "÷": "割る", "%": "パーセント", "°": "度",
        "→": "から", "№": "ナンバー", "µ": "マイクロ", "Ω": "オーム", "€": "ユーロ", "$": "ドル",
        "£": "ポンド", "¥": "円", "∞": "無限大", "@": "アットマーク",
    }  # fmt: skip
    abbreviations = (
        (r"(?<![A-Za-z])(?:vs|VS)\.?(?![A-Za-z])", "対"),
        (r"(?<![A-Za-z])N/A(?![A-Za-z])", "該当なし"),
        (r"(?<![A-Za-z])(?:Tel|TEL)\s?(?:[:：]|\.(?=\s?\w))", "電話"),
    )
    ratio_words = "スコア|比率|比|得点|結果|試合|割合|混合比"
    code_words = (
        "部屋|会議室|号室|教室|病室|コード|番号|エラー|エラーコード|暗証番号|注文|便|内線|ロッカー|"
        "伝票|型番|ルーム|チャンネル"
    )
    phone_words = "電話|携帯|連絡先|ファックス|ダイヤル|お問い合わせ|通報|番号"

    def cardinal(self, whole: str) -> str:
        """Say zero as 零: the rules give 〇."""
        return "零" if whole == "0" else super().cardinal(whole)

    def unsigned(self, number: Number) -> str:
        """Say the decimals' zeros as 零."""
        whole = self.cardinal(number.whole)
        if not number.fraction:
            return whole
        return whole + self.point + self.digits(number.fraction).replace("〇", "零")

    def phone(self, groups: Sequence[str]) -> str:
        """Say a telephone number with の between its groups."""
        return "の".join(self.digits(group) for group in groups)

    def money(self, number: Number, scale: str, currency: Currency) -> str:
        """Say 四ドル五十セント, 五百円."""
        sign = self.sign(number.sign)
        cents = number.fraction
        if scale or not currency.cent or len(cents) != 2 or not int(cents):
            return sign + self.unsigned(_trimmed(number)) + scale + currency.one
        dollars = self.cardinal(number.whole) + currency.one if int(number.whole) else ""
        return sign + dollars + self.cardinal(str(int(cents))) + currency.cent

    def clock(self, clock: Clock) -> str:
        """Say 十時五分, 午後三時."""
        half, hour = {"am": "午前", "pm": "午後"}.get(clock.half, ""), clock.hour
        if half:
            half, hour = ("", hour) if hour > 12 else (half, hour % 12)
        said = half + self.cardinal(str(hour)) + "時"
        if clock.minute or clock.second:
            said += self.cardinal(str(clock.minute)) + "分"
        if clock.second:
            said += self.cardinal(str(clock.second)) + "秒"
        return said

    def numbered(self, run: str) -> str:
        """Say 三番."""
        return self.code_number(run) + "番"

    def date(self, date: Date) -> str:
        """Say 二千二十六年十二月二日."""
        said = self.year(date.year) + "年" if date.year else ""
        said += self.cardinal(str(date.month)) + "月"
        return said + (self.cardinal(str(date.day)) + "日" if date.day else "")

    def date_range(self, first: Date, last: Date) -> str:
        """Say the month once where it is the same."""
        if last.year or first.month != last.month or not first.day or not last.day:
            return super().date_range(first, last)
        return self.date(first) + self.to + self.cardinal(str(last.day)) + "日"

    def fraction(self, whole: str, part: str, of: str) -> str:
        """Say 四分の三, 一と四分の三."""
        said = self.cardinal(of) + "分の" + self.cardinal(part)
        return self.cardinal(whole) + "と" + said if whole else said


def _trimmed(number: Number) -> Number:
    return Number(number.whole, number.fraction if int(number.fraction or 0) else "")


GRAMMAR = Japanese()
