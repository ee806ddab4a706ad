"""The words and shapes of which an order to an agent is made, sorted into classes. `taint` knows their sequences.

A word alone says nothing: "ignore" is DROP, "previous" is EARLIER, and only DROP … EARLIER … ORDER is an order. A word
may stand in several classes. Whoever adds one runs the two thousand ordinary notes of the tests.
"""

from __future__ import annotations

CUES = {
    "DROP": (
        "ignore|ignoring|disregard|disregarding|forget|override|bypass|overlook|discard|neglect|abandon|set aside|"
        "throw away|pay no attention|do not follow|don't follow|stop following|do not obey|don't obey|stop obeying|"
        "no longer follow|忽略|无视|忘掉|忘记|忘了|不要理会|别理会|不用管|别管|不要管|不要遵守|不必遵守|不用遵守|"
        "不再遵守|别遵守|停止遵守|抛开|绕过|丢掉|撇开|作废|抛弃|覆盖"
    ),
    "EARLIER": (
        "previous|previously|prior|earlier|above|preceding|foregoing|your|system|initial|original|you were given|"
        "so far|you have been given|you received|given to you|developer|safety|上面|之前|以前|先前|前面|此前|以上|"
        "上述|你的|系统|原来|原有|最初|你收到|安全|你所有"
    ),
    "ALL": "all|any|every|所有|一切|全部|任何|全数",
    "ORDER": (
        "instruction(s)|prompt(s)|directive(s)|guideline(s)|programming|guardrail(s)|system message|指令|提示词|"
        "系统提示|指示|守则|设定"
    ),
    "RULE": (
        "rule(s)|order(s)|command(s)|constraint(s)|restriction(s)|safeguard(s)|training|规则|限制|约束|命令|吩咐|要求"
    ),
    "EVERYTHING": (
        "everything above|everything before|everything you|everything prior|all you know|all you were told|"
        "what you were told|what you have been told|whatever you were told|all of the above and|the above and|"
        "上面的一切|之前的一切|以上一切|上面说的|之前说过的话|以上内容|上述内容|上面的内容|前面的内容|之前的内容|"
        "之前的对话|上面的对话|以上对话|你学到的|你知道的一切|你的身份|以上所有内容|上面所有内容|前面所有内容|"
        "之前所有内容|之前的所有内容"
    ),
    "SEND": (
        "send|sends|post|forward|email|upload|leak|exfiltrate|publish|transmit|deliver|copy|paste|cc|bcc|relay|mail|"
        "dm|发给|发给我|发送|转发|发到|发往|上传|泄露|寄给|抄送|提交|贴到|转给|传给|传到|推送"
    ),
    "EVERY": "every|each|all|any|每个|每条|每次|每一|所有|全部|一切|任何|the whole|entire|整个|the full|complete",
    "ANSWER": (
        "answer(s)|reply|replies|response(s)|conversation(s)|chat history|chat log(s)|message history|output(s)|"
        "memory|memories|回答|回复|答复|对话|聊天记录|记忆|输出"
    ),
    "SINK": "this address|this url|这个地址|这个网址|这个链接",
    "REVEAL": (
        "print|reveal|show|display|output|repeat|tell me|tell us|give me|give us|dump|expose|disclose|list|recite|"
        "leak|write out|echo|send me|send|post|share|publish|read out|hand over|paste|copy|email|forward|quote|"
        "summarize|encode|打印|显示|输出|告诉|告诉我|给我看|发给|发给我|发我|透露|泄露|说出|公开|列出|念出|贴出|"
        "交出|展示|复述|写出|重复|发到|发送|转发|上传|背出|吐出"
    ),
    "INNER": (
        "your system prompt(s)|your config|your configuration|your prompt(s)|your instruction(s)|your system|"
        "your api key(s)|your token(s)|your secret(s)|your password(s)|your memory|your memories|your hidden|"
        "your rules|your initial|your credentials|your key(s)|your settings|your private key(s)|your guidelines|"
        "your internal|your full|your entire|your environment|your bot token|your own|the system prompt|"
        "system prompt|initial prompt|hidden prompt|hidden instructions|system message|prompt above|the prompt|"
        "你的配置|你的密钥|你的密码|你的设定|你的指令|你的提示|你的令牌|你的token|你的系统|你的api|你的记忆|"
        "你的规则|你的私钥|你的凭证|你的环境变量|你的内部|你的初始|你的全部|你的所有|系统提示|系统指令|系统设定|"
        "初始提示|隐藏指令|内部指令|隐藏提示|提示词|系统消息"
    ),
    "OWN_ORDER": (
        "your prompt(s)|your instruction(s)|your system prompt(s)|your guidelines|your rules|your initial|"
        "the system prompt|system prompt|initial prompt|hidden prompt|hidden instructions|system message|"
        "prompt above|your programming|你的设定|你的指令|你的提示|你的规则|你的系统|系统提示|系统指令|系统设定|"
        "初始提示|隐藏指令|内部指令|提示词|系统消息"
    ),
    "KEYS": "api key(s)|private key(s)|secret key(s)|credentials|secrets|密钥|私钥|令牌|密码|凭证",
    "SETTINGS": "config|token(s)|配置|环境变量",
    "TO_ME": "发给我|告诉我|给我看|发我|交给我|贴出来|说出来|念出来|打印出来|输出来|输出给我|公布出来|显示出来",
    "DISCLOSE": "reveal|dump|leak|expose|disclose|exfiltrate|print|打印|泄露|透露|交出|说出|输出|公开|吐出",
    "YOU_NOW": (
        "you are now|you're now|you are no longer|you're no longer|from now on you are|from now on you're|"
        "you will now be|you will now act|you shall now|你现在是|现在你是|你现在就是|你不再是|现在起你|现在开始你|"
        "你将成为|你已经是|你现在变成"
    ),
    "BE": (
        "act as|pretend to be|pretend you are|pretend that you are|roleplay as|role-play as|role play as|behave as|"
        "behave like|扮演|假装你是|假装成|充当|假设你是|模拟成"
    ),
    "ROLE": (
        "bot|assistant|ai|model|agent|dan|unrestricted|admin|administrator|root|system|hacker|jailbroken|uncensored|"
        "unfiltered|developer mode|debug mode|god mode|maintenance mode|persona|without restrictions|"
        "no restrictions|without limits|no rules|any rules|no limits|free of|without any|no filter(s)|chatbot|"
        "chatgpt|gpt|language model|evil|pirate|机器人|助手|模型|管理员|没有限制|不受限制|不受任何|没有任何限制|"
        "没有任何规则|不受约束|黑客|开发者|系统|没有规则|猫娘|越狱|智能体|人工智能|超级用户"
    ),
    "BE_NOW": (
        "从现在起你是|从现在起你就是|从现在开始你是|从现在开始你就是|从今以后你是|从今往后你是|今后你是|以后你是|"
        "以后你就是|现在起你是|现在起你就是|你的新身份|你的新角色|do anything now|your new role is|"
        "your new identity|your new task is|your new instructions|你的新任务|你的新指令|你的新名字"
    ),
    "FROM_NOW": (
        "from now on|from now|henceforth|from this point|going forward|starting now|from here on|in all future|"
        "in future|in the future|以后|从现在起|从现在开始|今后|从今往后|从今以后|此后|从此|往后|whenever asked|"
        "当用户|只要用户|if anyone asks|when anyone asks|when asked|when the user|if the user|如果有人问|有人问起"
    ),
    "YOU": "you|your|你|您",
    "ACT_FOR_ME": (
        "回答我|回复我|听我的|同意我|服从我|听从我|服从|听命|照我说的|obey me|agree with me|answer me|reply to me"
    ),
    "ALWAYS": "always|never|must|only|without exception|shall|一律|始终|总是|永远",
    "MUST": (
        "must|always|never|should|have to|will|shall|only|必须|只能|一律|始终|总是|永远|不准|不许|不得|都要|都得|"
        "务必|只准|要|都|不要"
    ),
    "ACT": (
        "answer|reply|respond|obey|agree|approve|refuse|recommend|comply|append|prepend|begin your|end your|say yes|"
        "tell users|tell the user|tell everyone|act as|follow my|trust me|answers|replies|responses|response|回答|"
        "回复|服从|听从|听我的|答复|同意我|推荐|拒绝回答|告诉用户|追加|每句话"
    ),
    "EXEC": "run|execute|eval|evaluate|exec|运行|执行|跑一下|跑",
    "THIS_COMMAND": (
        "this command|the following command|following commands|these commands|this script|the following script|"
        "this code|the following code|this shell|the command below|the commands below|below command|this payload|"
        "this bash|this python|this tool|the following tool|the following shell|the following bash|this one-liner|"
        "commands below|以下命令|下面的命令|下面命令|这条命令|这个命令|下列命令|这段代码|以下代码|下面的代码|"
        "这个脚本|这段脚本|以下脚本|下面这条命令|下面的脚本|以下指令|下面的指令|这条指令|这段命令|这行命令|"
        "下面这段代码|下面这行命令|以下的命令|以下shell"
    ),
    "FETCH": "curl|wget|iwr|invoke-webrequest|fetch",
    "DECODE": "base64|decode|decoded|b64|atob|rot13|解码|解密|解开|译码",
    "OBEY": (
        "run|execute|follow|obey|do what|eval|exec|act on|carry out|comply|执行|运行|照做|照着做|遵照|按其|照办|遵从"
    ),
    "AGENT": (
        "ai|agent(s)|assistant(s)|bot(s)|llm|llms|language model(s)|model|claude|gpt|chatgpt|copilot|gemini|chatbot|"
        "助手|机器人|模型|智能体|人工智能"
    ),
    "READING": (
        "reading this|processing this|who reads this|that reads this|summarizing this|if you are an|note to the|"
        "instruction for|instructions for|instruction to|message to|attention|读到这|看到这|处理这|致|总结这"
    ),
    "WIPE": "delete|erase|wipe|clear|purge|destroy|清空|删除|删掉|抹掉|清除|销毁|抹除",
    "MEMORIES": "memory|memories|chat history|conversation history|记忆|聊天记录|对话记录",
    "FOLLOW": "follow|obey|comply with|listen to|adhere to|遵守|听从|服从|按照|执行|遵循|只听",
    "INSTEAD": "only|instead|new|my|updated|只|改为|新的|新|我的",
    "QUIET": (
        "do not tell the user|don't tell the user|without telling the user|do not mention this to the user|"
        "without informing the user|without asking the user|don't mention this to the user|不要告诉用户|别告诉用户|"
        "不要让用户知道|别让用户知道|瞒着用户|不告诉用户"
    ),
}
"""Class to words. "(s)" stands for with and without s."""

SHAPES = (
    ("SINK", ("http", "@"), r"https?://[^\s<>]{3}|@[a-z0-9_]{2,32}bot\b|@[a-z0-9-]{1,63}\.[a-z]{2,8}"),
    ("BLOB", ("base64", "b64", "decod", "atob", "rot13", "解", "译码"), r"\b[a-z0-9+/_-]{20}"),
    ("PIPE", ("|",), r"\| ?(?:sudo )?(?:(?:ba|z|da|k)?sh|python3?|iex)\b"),
    ("COMMENT", ("<!--", "[//]", ": "), r"<!--|\[//\]: ?#|display: ?none|font-size: ?0|color: ?white"),
    (
        "MARKER",
        ("|>", "inst]", "sys>", "system"),
        r"<\|[a-z_]{2,24}\|>|\[/?inst\]|<</?sys>>|</?system(?:[_-]\w{6,8})?>",
    ),
    (
        "SPEAKS_AS",
        (":",),
        r"\n(?:\#{1,6} ?|\[|\*\*)?(?:system|developer|系统|系统提示)(?: prompt| message)?(?:\]|\*\*)? ?:",
    ),
    ("WRECK", ("rm -",), r"\brm -(?:rf|fr) (?:--no-preserve-root )?[/~*](?![\w.])"),
)
"""(class, one of these must be there, pattern)."""
