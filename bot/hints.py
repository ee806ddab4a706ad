"""Words that nobody can check or do (contract S14, S34): they earn one gentle hint, never a block. Pure."""

from __future__ import annotations

_VAGUE = (
    "感觉", "觉得", "差不多", "应该没问题", "满意", "舒服", "挺好", "顺利", "大概", "看看", "优化一下", "处理一下", "改进一下", "弄一下", "搞一下",
    "feels", "feel ", "seems", "looks good", "looks fine", "works fine", "is better", "is good", "is fine", "happy",
    "improve things", "make it better", "look into it", "deal with it", "fix stuff", "sort it out",
)  # fmt: skip
_CHECKABLE = ("log", "test", "file", "日志", "测试", "文件", "截图", "报表", "/", "#", "%")


def is_vague(text: str) -> bool:
    """True when `text` names a feeling and nothing to look at: no number, file, log or test."""
    folded = text.lower()
    if any(c.isdigit() for c in folded) or any(sign in folded for sign in _CHECKABLE):
        return False
    return any(word in folded + " " for word in _VAGUE)
