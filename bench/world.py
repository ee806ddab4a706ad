"""The worlds the benches run in: generated texts, homes of any size, and a scratch database for the bare commit.

The texts come from a fixed seed and word lists of our own: frequent words are frequent, rare ones rare, lengths
vary, so the index looks like a real one. Homes are built through the product's own `Writer` and kept in the
temporary folder under a digest of the source, so that the next run finds them; every bench works on a copy.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from report import Progress

from bot.app import OWNER, App
from bot.config import load
from bot.message import Reply
from bot.phrases.fields import draft_of
from store.clock import SystemClock, SystemEntropy
from store.db import Database
from store.grants import PrivateClaim, grant
from store.memory import Memory
from store.model import Origin, Source
from store.ports import Clock
from store.schema import Migration
from store.writer import Writer

ZONE = "Asia/Shanghai"
ENTRIES_PER_TURN = 100
DAYS = 300

_EN = {
    "who": """I|we|Priya|Lin Wei|my sister|the landlord|Tom|grandma|Dr Osei|our team|the neighbours|Marta|Uncle Jo|
        the plumber|Chen|Aisha|the kids|my manager|the new designer|Ravi|the club|Nadia|the librarian|my brother""",
    "thing": """the spare key|the boiler manual|the quarterly report|Biscuit's vaccination card|the blue kettle|
        the garden hose|the deploy script|the staging database|the red suitcase|the piano lessons|the invoice template|
        the rent|the standing order|the camping stove|the hiking boots|the guest list|the release notes|the backup disk|
        the router|the compost bin|the login page|the cake recipe|the passport|the insurance letter|the bike lock|
        the drill|the wifi repeater|the sourdough starter|the tax folder|the chess set|the old laptop|the yoga mat|
        the retry queue|the rate limiter|the search index|the onboarding guide|the colour palette|the winter tyres|
        the telescope|the lemon tree|the parking permit|the dentist appointment|the reading group|the swimming pass|
        the photo album|the fish tank|the projector|the ladder|the sewing machine|the alarm code sheet|the charger|
        the house plants|the ferry tickets|the choir rehearsal|the pension statement|the greenhouse|the tent poles""",
    "place": """in the hall drawer|under the stairs|behind the green shed|at the office|in the glove box|on the top shelf|
        in Lisbon|at the station|next to the printer|in the shared folder|at Marta's flat|in the second locker|
        on the balcony|near the river|in meeting room four|at the vet in Mill Lane|in the attic|by the back gate|
        at the market hall|in the white cabinet|on platform nine|in the basement|at the pottery studio""",
    "act": """lives|is kept|was left|belongs|should stay|gets repaired|is being painted|will be delivered|
        has to be returned|is stored|can be picked up|was moved|was found|is shown|needs a new battery""",
    "when": """on Friday|next Tuesday|every second Monday|before the holidays|in March|by 14 June|tomorrow at nine|
        at half past six|after lunch|on the first of the month|last weekend|this autumn|since January|in two weeks""",
    "choice": """Postgres|SQLite|the cheaper quote|the train|oat milk|the smaller flat|blue tiles|monthly billing|
        the morning shift|a written agenda|two reviewers|paper forms|the Dutch supplier|weekly backups|feature flags|
        the stone path|no meetings on Wednesdays|one shared calendar|the night bus|organic flour|plain text files""",
    "why": """it is quieter|the old one broke twice|nobody reads the long version|it saves an hour a week|
        the warranty ends soon|the numbers did not add up|Priya is allergic|the stairs are steep|it rained last year|
        the licence changed|it is easier to undo|we ran out of space|the school closes early|the first try failed""",
    "like": """prefers window seats|cannot stand coriander|always walks to work|likes the second violin part|
        hates surprise parties|only drinks rooibos|reads on paper|runs before breakfast|takes the aisle|sleeps badly in heat|
        collects old maps|is learning Portuguese|is allergic to walnuts|plays badminton|writes with the left hand""",
    "tag": "home|work|health|travel|garden|money|team|kids|music|infra|recipes|pets",
}
_EN_SHAPES = (
    "{thing} {act} {place}", "{who} {like}", "we decided to use {choice} for {thing}, because {why}",
    "{thing} {act} {place} {when}", "{who} will bring {thing} {when}", "{who} said that {why}, so we keep {choice}",
    "{who} and {who} meet {place} {when}", "{thing} costs {n} pounds a month", "{who} {like} and {like}",
    "the number on {thing} is {code}", "we agreed on {choice} {when}; next: {who} checks {thing}; verify: {thing} {act} {place}",
    "{who} asked about {thing}: {why}. It {act} {place} until {when}. {who} knows more", "{thing} uses {choice}",
    "ticket {code}: {thing} {act} {place} because {why} #{tag}",
)  # fmt: skip
_ZH = {
    "who": """我|我们|小雨|林伟|姐姐|房东|老王|外婆|陈医生|项目组|邻居|阿珍|大舅|水管工|小陈|班主任|孩子们|经理|新来的设计师|
        表弟|球队|娜娜|图书管理员|弟弟|物业|客户|张老师|李姐""",
    "thing": """备用钥匙|锅炉说明书|季度报告|旺财的疫苗本|蓝色水壶|花园水管|部署脚本|预发布数据库|红色行李箱|钢琴课|发票模板|
        房租|自动转账|露营炉|登山鞋|宾客名单|发布说明|备份硬盘|路由器|堆肥桶|登录页面|蛋糕配方|护照|保险单|自行车锁|电钻|
        信号放大器|老面团|报税资料|象棋|旧电脑|瑜伽垫|重试队列|限流器|搜索索引|新人手册|配色方案|冬季轮胎|望远镜|柠檬树|停车证|
        牙医预约|读书会|游泳卡|相册|鱼缸|投影仪|梯子|缝纫机|充电器|盆栽|船票|合唱排练|养老金账单|温室|帐篷杆|体检报告|幼儿园合同|
        加湿器|茶具|门禁卡|快递柜|空调滤网|会议纪要|报价单|样品|合同扫描件|装修图纸|家庭相机|电子琴|滑雪板""",
    "place": """在门厅抽屉里|在楼梯下面|在绿色棚子后面|在办公室|在手套箱里|在书架顶层|在里斯本|在车站|在打印机旁边|在共享文件夹|
        在阿珍家|在二号柜子|在阳台上|在河边|在四号会议室|在米尔路的宠物医院|在阁楼|在后门旁|在菜市场|在白色柜子里|在九号站台|
        在地下室|在陶艺工作室|在人民广场|在西湖边""",
    "act": "放着|保管着|落下了|要归还|正在修|刚刷过漆|会送到|可以领取|挪走了|找到了|展示着|该换电池了|暂时存着",
    "when": "周五|下周二|每隔一个周一|放假之前|三月份|6月14日|明天九点|六点半|午饭以后|每月一号|上周末|今年秋天|一月以来|两周之内",
    "choice": """Postgres|SQLite|便宜的那份报价|坐高铁|燕麦奶|小一点的房子|蓝色瓷砖|按月付费|早班|书面议程|两个人评审|纸质表格|
        荷兰供应商|每周备份|功能开关|石板路|周三不开会|共用一个日历|夜班车|有机面粉|纯文本文件|灰度发布|双因素登录""",
    "why": """更安静|旧的坏过两次|没人看长的版本|每周省一个小时|保修快到期了|数字对不上|小雨过敏|楼梯太陡|去年下雨了|许可证改了|
        更容易撤销|空间不够了|学校放学早|第一次没成功|合同写得不清楚|大家都同意""",
    "like": """喜欢靠窗的座位|不吃香菜|总是走路上班|爱拉第二小提琴|讨厌惊喜派对|只喝普洱|习惯看纸书|早饭前跑步|怕热睡不好|
        收集旧地图|在学葡萄牙语|对核桃过敏|打羽毛球|用左手写字|晚上十点睡觉|周末爬山""",
    "tag": "家|工作|健康|旅行|花园|钱|团队|孩子|音乐|基础设施|菜谱|宠物",
}
_ZH_SHAPES = (
    "{thing}{place}{act}", "{who}{like}", "我们决定{thing}用{choice}，因为{why}", "{when}{thing}{place}{act}",
    "{when}{who}带{thing}过来", "{who}说{why}，所以还是{choice}", "{who}和{who}{when}{place}见面", "{thing}每个月{n}元",
    "{who}{like}，也{like}", "{thing}上的编号是{code}", "说好{when}改成{choice}，下一步：{who}检查{thing}，验证：{thing}{place}",
    "{who}问到{thing}：{why}。先{place}，等到{when}再说，细节找{who}", "{thing}用{choice}", "工单{code}：{thing}{place}{act}，因为{why} #{tag}",
)  # fmt: skip
_PARTS = {
    "en": (
        """old new green wooden folding borrowed second-hand leaking heavy broken electric spare plastic silver narrow rented
        cheap orange waterproof shared missing brass Danish rusty outdoor painted tall padded wireless temporary quiet
        round striped frozen handmade inherited yellow solar dusty marble Italian velvet crooked empty""".split(),
        """chair window pump fence sofa mirror kettle lamp mattress shelf tap gate engine carpet blanket bucket candle
        curtain desk door dishwasher fan filter freezer guitar hammer heater helmet hinge jacket jug kite knife lantern
        lawnmower lock magnet microscope needle oven paddle pillow pipe plough pot puzzle radiator rope rug saddle sail
        scarf shovel sink skateboard sledge spoon stool suitcase switch tablecloth tent thermos toaster trailer tripod
        trumpet tyre umbrella vase violin wallet wardrobe wheelbarrow whisk window-box wrench zip""".split(),
    ),
    "zh": (
        "旧的 新买的 绿色 木头 折叠 借来的 二手 漏水的 沉重的 坏掉的 电动 备用 塑料 银色 窄的 租来的 便宜的 橙色 防水 共用的 丢失的 铜制 丹麦 生锈的 "
        "户外 刷漆的 高脚 加厚 无线 临时 静音 圆形 条纹 冷冻 手工 祖传的 黄色 太阳能 积灰的 大理石 意大利 丝绒 歪的 空的".split(),
        "椅子 窗户 水泵 栅栏 沙发 镜子 水壶 台灯 床垫 书架 水龙头 大门 引擎 地毯 毛毯 水桶 蜡烛 窗帘 书桌 房门 洗碗机 风扇 滤芯 冰柜 吉他 锤子 暖气 头盔 "
        "合页 夹克 罐子 风筝 菜刀 灯笼 割草机 门锁 磁铁 显微镜 绣花针 烤箱 船桨 枕头 水管 花盆 拼图 散热器 绳子 坐垫 马鞍 船帆 围巾 铁锹 水槽 滑板 雪橇 "
        "汤勺 凳子 手提箱 开关 桌布 帐篷 保温杯 面包机 拖车 三脚架 小号 轮胎 雨伞 花瓶 提琴 钱包 衣柜 手推车 打蛋器 扳手 拉链".split(),
    ),
}
_LISTS = {
    lang: {name: [" ".join(word.split()) for word in words.split("|")] for name, words in lists.items()}
    for lang, lists in (("en", _EN), ("zh", _ZH))
}
_SHAPES = {"en": _EN_SHAPES, "zh": _ZH_SHAPES}


def texts(lang: str, count: int, seed: int = 1) -> list[str]:
    """`count` statements. Seldom words come from made-up names and codes, as in real notes."""
    drawn = random.Random(f"{lang}/{seed}")
    return [_text(lang, drawn) for _ in range(count)]


def _text(lang: str, drawn: random.Random) -> str:
    out = drawn.choice(_SHAPES[lang])
    while "{" in out:
        before, _, rest = out.partition("{")
        name, _, after = rest.partition("}")
        out = before + _word(lang, name, drawn) + after
    return out[0].upper() + out[1:]


def _word(lang: str, name: str, drawn: random.Random) -> str:
    if name == "n":
        return str(drawn.randint(2, 900))
    if name == "code":
        return f"{drawn.choice('ABCDEFGH')}{drawn.randint(100, 99999)}"
    if name == "who" and drawn.random() < 0.25:
        return _name(lang, drawn)
    if name == "thing" and drawn.random() < 0.6:
        return _some_thing(lang, drawn)
    listed = _LISTS[lang][name]
    return _ranked(listed, drawn)


def _some_thing(lang: str, drawn: random.Random) -> str:
    """One of some thousands of things, made of two words."""
    first, second = _PARTS[lang]
    joint = "" if lang == "zh" else " "
    the = "" if lang == "zh" else "the "
    return the + _ranked(first, drawn) + joint + _ranked(second, drawn)


def _ranked(listed: list[str], drawn: random.Random) -> str:
    """Half of the time any word, half of the time one by 1/rank: the first word stands in some per cent of all texts."""
    if drawn.random() < 0.5:
        return drawn.choice(listed)
    return listed[min(int(len(listed) ** drawn.random()) - 1, len(listed) - 1)]


def _name(lang: str, drawn: random.Random) -> str:
    if lang == "zh":
        return (
            drawn.choice("赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨")
            + drawn.choice("梓浩欣宇晨思嘉俊雅诗")
            + drawn.choice("涵轩怡然琪泽妍")
        )
    return "".join(drawn.choice(("ka", "lo", "mi", "re", "tu", "sha", "ven", "dor")) for _ in range(3)).title()


def questions(lang: str, count: int, seed: int = 2) -> list[str]:
    """Questions about the kind of thing `texts` says; about half have an answer word for word."""
    drawn = random.Random(f"{lang}/q/{seed}")
    shapes = {
        "en": ("where is {thing}?", "what did we decide about {thing}?", "who will bring {thing}?", "what does {who} like?",
               "how much does {thing} cost?", "did we ever talk about {choice}?", "why did we choose {choice} for {thing}?"),
        "zh": ("{thing}在哪？", "我们关于{thing}决定了什么？", "谁带{thing}？", "{who}喜欢什么？", "{thing}每个月多少钱？",
               "我们聊过{choice}吗？", "为什么{thing}用{choice}？"),
    }  # fmt: skip
    out = []
    for _ in range(count):
        question = drawn.choice(shapes[lang])
        for name in ("thing", "who", "choice"):
            question = question.replace("{" + name + "}", _word(lang, name, drawn))
        out.append(question)
    return out


async def remember_all(memory: Memory, statements: list[str], lang: str, *, task: str = "building") -> None:
    """Writes the statements as entries of the past 300 days, many per transaction."""
    start = datetime.now(UTC) - timedelta(days=DAYS)
    step = timedelta(days=DAYS) / max(len(statements), 1)
    progress = Progress(task, len(statements))

    def write(offset: int) -> Callable[[Writer], None]:
        def run(writer: Writer) -> None:
            for place, text in enumerate(statements[offset : offset + ENTRIES_PER_TURN], offset):
                writer.remember(
                    draft_of(text),
                    at_ms=int((start + place * step).timestamp() * 1000),
                    zone=ZONE,
                    author=OWNER,
                    source=Source("terminal", OWNER, ""),
                    origin=Origin.SAID,
                    lang=lang,
                )

        return run

    for offset in range(0, len(statements), ENTRIES_PER_TURN):
        await memory.turn(write(offset))
        progress.at(offset + ENTRIES_PER_TURN)
    progress.done()


@asynccontextmanager
async def running(home: Path, *, clock: Clock | None = None, erase: bool = True) -> AsyncIterator[App]:
    """The program on a home, as the terminal starts it. `erase=False`: no scope is opened until it is asked for."""
    if not erase:
        App.run_due = _nothing_due  # type: ignore[method-assign]
    app = await App.start(
        home, load(home / "niannian.toml", {}), clock or SystemClock(), SystemEntropy(), zone=ZONE, lang="en"
    )
    try:
        yield app
    finally:
        await app.close()


async def _nothing_due(self: App, *, opened_only: bool = False) -> list[Reply]:
    return []


async def memory_of(app: App) -> Memory:
    """The owner's private memory."""
    return await app.home.memory(grant(PrivateClaim(OWNER), app.home.device))


@asynccontextmanager
async def scratch() -> AsyncIterator[Path]:
    """An empty folder on the same disk as the homes, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="niannian-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def copy_of_home(into: Path, lang: str, entries: int) -> Path:
    """A fresh copy of a home with `entries` generated entries (`lang`: zh, en, or both in turn)."""
    made = _kept() / f"{lang}-{entries}"
    if not (made / "ready").exists():
        shutil.rmtree(made, ignore_errors=True)
        statements = _mixed(entries) if lang == "both" else texts(lang, entries)
        async with running(made / "home") as app:
            await remember_all(await memory_of(app), statements, lang, task=f"building {lang} {entries}")
        (made / "ready").touch()
    home = into / f"home-{lang}-{entries}"
    await asyncio.to_thread(shutil.copytree, made / "home", home)
    return home


def _mixed(count: int) -> list[str]:
    pairs = zip(texts("zh", (count + 1) // 2), texts("en", (count + 1) // 2), strict=True)
    return [text for pair in pairs for text in pair][:count]


def _kept() -> Path:
    """Where built homes wait for the next run of the same source."""
    return Path(tempfile.gettempdir()) / f"niannian-bench-homes-{_source_digest()}"


def _source_digest() -> str:
    """Of what decides how a home looks on disk."""
    store = Path(__file__).parent.parent / "store"
    named = [store / name for name in ("schema.py", "projection.py", "index.py", "text.py", "changes.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in [Path(__file__), *named])).hexdigest()[:12]


_BARE = (Migration(1, "bench", ("CREATE TABLE one(id INTEGER PRIMARY KEY, body TEXT NOT NULL)",)),)


@asynccontextmanager
async def bare_database(folder: Path) -> AsyncIterator[Callable[[str], asyncio.Future[None]]]:
    """A one-row insert and FULL commit through the product's own `db.py`: what no design can beat."""
    database = await Database.open(folder / "bare.db", _BARE, backups=folder)

    async def insert(body: str) -> None:
        await database.write(lambda conn: conn.execute("INSERT INTO one(body) VALUES(?)", (body,)) and None)

    try:
        yield insert  # type: ignore[misc]
    finally:
        await database.close()


def each(items: list[str]) -> Iterator[str]:
    """The items, over and over."""
    while True:
        yield from items
