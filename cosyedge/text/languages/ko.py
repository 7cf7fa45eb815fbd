"""Korean: words, units and grammar; native numerals for hours and things."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from cosyedge.text.cardinals import spell
from cosyedge.text.grammar import Clock, Currency, Date, Grammar, currency_table
from cosyedge.text.numerals import Number
from cosyedge.text.units import Unit, UnitWords, unit_words

#: Trait ``native``: counted with 한, 두, 세. The temperature's sign is 영하.
UNITS = UnitWords(
    words=unit_words("""
°C | 도 | | temperature
°F | 화씨 {} 도 | | temperature
° | 도
°/s | 초당 {} 도
K | 켈빈
% | 퍼센트
‰ | 퍼밀
%RH | 퍼센트
m | 미터
mi | 마일
ft | 피트
yd | 야드
kn | 노트
mph | 시속 {} 마일
km/h | 시속 {} 킬로미터
m/s | 초속 {} 미터
m/s² | 미터 매 초 제곱
g | 그램
t | 톤
lb | 파운드
oz | 온스
l | 리터
gal | 갤런
GPM | 분당 {} 갤런
ha | 헥타르
s | 초
min | 분
h | 시간 | | native
d | 일
wk | 주
Hz | 헤르츠
W | 와트
Wh | 와트시
kWp | 킬로와트피크
VA | 볼트암페어
var | 바
hp | 마력
V | 볼트
A | 암페어
Ah | 암페어시
Ω | 옴
Pa | 파스칼
bar | 바
psi | 피에스아이
atm | 기압
mmHg | 밀리미터 수은주
N | 뉴턴
Nm | 뉴턴미터
J | 줄
cal | 칼로리
S | 지멘스
Sv | 시버트
Bq | 베크렐
mol | 몰
rpm | 알피엠
rps | 초당 {} 회전
bpm | 비피엠
FPS | 초당 {} 프레임
ppm | 피피엠
ppb | 피피비
dB | 데시벨
dBA | 데시벨
dBm | 디비엠
lx | 럭스
lm | 루멘
cd | 칸델라
px | 픽셀
B | 바이트
bit | 비트
KiB | 키비바이트
MiB | 메비바이트
GiB | 기비바이트
ct | 센트
%p | 퍼센트포인트
l/100km | 백 킬로미터당 {} 리터
pcs | 개 | | native
"""),
    prefixes={
        "T": "테라", "G": "기가", "M": "메가", "k": "킬로", "h": "헥토", "d": "데시", "c": "센티",
        "m": "밀리", "µ": "마이크로", "n": "나노",
    },
    square="제곱{}",
    cubic="세제곱{}",
    over="{1}당 {} {0}",
)  # fmt: skip

#: Counted with native numerals up to 99; 개월 and 개국 are not 개.
COUNTERS = (
    "시간|시(?!스|리)|개(?![월국년])|명|마리|살|잔|병(?![원동])|장(?![비치])|권|달(?!러)|가지|군데|곳|사람|켤레|송이|그루|"
    "척|벌|쌍|통|상자|박스|묶음|줄|그릇|조각|바퀴|건(?![물조])|세트|컵|봉지|포대|팔레트|파레트|차례|팀|"
    "자리(?!수)|칸|배(?![터관])|대(?![기피비])|방울|다발|채(?!널)|자루|포기|끼|모금|알(?=씩|[^가-힣]|$)"
)


class Korean(Grammar):
    """Sino-Korean numerals, native ones before counters; zero is 공 in a code."""

    code = "ko"
    digit_words = tuple("공일이삼사오육칠팔구")
    point = "점"
    openers = ("시속 ", "초속 ", "화씨 ", "영하 ", "분당 ", "초당 ", "시간당 ")
    compared: ClassVar[Mapping[str, str]] = {
        "<": "미만",
        ">": "초과",
        "<=": "이하",
        "≤": "이하",
        "≦": "이하",
        ">=": "이상",
        "≥": "이상",
        "≧": "이상",
    }
    minus = "마이너스 "
    plus = "플러스 "
    plus_minus = "플러스마이너스 "
    to = "에서 "
    stroke = " "
    less = " 빼기 "
    by = " 곱하기 "
    about = "약 "
    versus = " 대 "
    dot = " 점 "
    version = "버전 "
    link = "링크"
    at = " 골뱅이 "
    name_joint = " 다시 "
    out_of = " 대 "
    units = UNITS
    own_units = ("%p",)
    currencies = currency_table("""
₩ KRW 원 | 원 | 원
$ US$ USD | 달러 | 달러 | 센트 | 센트
€ EUR | 유로 | 유로 | 센트 | 센트
£ GBP | 파운드 | 파운드 | 펜스 | 펜스
¥ ￥ JPY | 엔 | 엔
CN¥ RMB CNY 元 | 위안 | 위안
HK$ HKD | 홍콩 달러 | 홍콩 달러
NT$ TWD | 대만 달러 | 대만 달러
A$ AUD | 호주 달러 | 호주 달러
C$ CAD | 캐나다 달러 | 캐나다 달러
S$ SGD | 싱가포르 달러 | 싱가포르 달러
CHF | 스위스 프랑 | 스위스 프랑
₹ INR | 루피 | 루피
""")
    signs: ClassVar[Mapping[str, str]] = {
        "<=": "이하", "≤": "이하", "≦": "이하", ">=": "이상", "≥": "이상", "≧": "이상",
        "<": "보다 작음", ">": "보다 큼", "!=": "같지 않음", "≠": "같지 않음", "==": "는",
        "=": "는", "≈": "약", "&": "앤드", "+": "더하기", "±": "플러스마이너스",
        "×": "곱하기", "÷": "나누기", "%": "퍼센트", "°": "도", "→": "에서", "№": "번호",
        "µ": "마이크로", "Ω": "옴", "€": "유로", "$": "달러", "£": "파운드", "₩": "원",
        "∞": "무한대", "@": "골뱅이",
    }  # fmt: skip
    abbreviations = (
        (r"(?:vs|VS)\.?(?![A-Za-z])", "대"),
        (r"N/A(?![A-Za-z])", "해당 없음"),
        (r"(?:Tel|TEL)\s?(?:[:：]|\.(?=\s?\w))", "전화"),
    )
    ratio_words = "점수|스코어|비율|비|결과|혼합비"
    code_words = (
        "방|회의실|강의실|교실|병실|코드|번호|오류|에러|비밀번호|주문|항공편|내선|사물함|송장|"
        "인증번호|채널"
    )
    phone_words = "전화|휴대폰|연락처|팩스|번호|문의|신고|연락"
    counters: ClassVar[str] = COUNTERS

    def digits(self, run: str) -> str:
        """Say digits one by one, without blanks."""
        return "".join(self.digit_words[int(char)] for char in run)

    def phone(self, groups: Sequence[str]) -> str:
        """Say a telephone number, group by group."""
        return " ".join(self.digits(group) for group in groups)

    def unsigned(self, number: Number) -> str:
        """Say the decimals' zeros as 영."""
        whole = self.cardinal(number.whole)
        if not number.fraction:
            return whole
        return whole + self.point + self.digits(number.fraction).replace("공", "영")

    def native(self, whole: str) -> str:
        """Say a count before a thing: 한, 두, 스물다섯; from 100 on Sino-Korean."""
        if 0 < int(whole) < 100 and whole[0] != "0":
            return spell("ko", int(whole), "native")
        return self.cardinal(whole)

    def counted(self, number: Number, unit: Unit) -> str:
        """Say native numerals before hours and things, 영하 before a temperature."""
        if unit.trait == "native" and not number.fraction and len(number.whole) < 3:
            return self.sign(number.sign) + self.native(number.whole)
        sign = self.sign(number.sign)
        if unit.trait == "temperature" and number.sign == "-":
            sign = "영하 "
        return sign + self.unsigned(number)

    def money(self, number: Number, scale: str, currency: Currency) -> str:
        """Say 사 달러 오십 센트, 오천 원."""
        sign = self.sign(number.sign)
        cents = number.fraction
        if scale or not currency.cent or len(cents) != 2 or not int(cents):
            plain = Number(number.whole, cents if int(cents or 0) else "")
            return f"{sign}{self.unsigned(plain)}{scale} {currency.one}"
        dollars = f"{self.cardinal(number.whole)} {currency.one} " if int(number.whole) else ""
        return f"{sign}{dollars}{self.cardinal(str(int(cents)))} {currency.cent}"

    def clock(self, clock: Clock) -> str:
        """Say 열 시 오 분; from 13 on the hours are Sino-Korean."""
        half, hour = {"am": "오전 ", "pm": "오후 "}.get(clock.half, ""), clock.hour
        if half and hour > 12:
            half = ""
        said = half + (self.native(str(hour)) if 0 < hour < 13 else self._zero(hour)) + " 시"
        if clock.minute or clock.second:
            said += f" {self._zero(clock.minute)} 분"
        if clock.second:
            said += f" {self._zero(clock.second)} 초"
        return said

    def _zero(self, number: int) -> str:
        return self.cardinal(str(number))

    def month(self, month: int) -> str:
        """Say a month; June and October lose their last sound."""
        return {6: "유", 10: "시"}.get(month) or self.cardinal(str(month))

    def numbered(self, run: str) -> str:
        """Say 삼 번."""
        return self.code_number(run) + " 번"

    def date(self, date: Date) -> str:
        """Say 이천이십육년 십이월 이일."""
        said = f"{self.year(date.year)}년 " if date.year else ""
        said += f"{self.month(date.month)}월"
        return said + (f" {self.cardinal(str(date.day))}일" if date.day else "")

    def date_range(self, first: Date, last: Date) -> str:
        """Say the month once where it is the same."""
        if last.year or first.month != last.month or not first.day or not last.day:
            return super().date_range(first, last)
        return f"{self.date(first)}{self.to}{self.cardinal(str(last.day))}일"

    def fraction(self, whole: str, part: str, of: str) -> str:
        """Say 사 분의 삼."""
        said = f"{self.cardinal(of)} 분의 {self.cardinal(part)}"
        return f"{self.cardinal(whole)}와 {said}" if whole else said


GRAMMAR = Korean()
