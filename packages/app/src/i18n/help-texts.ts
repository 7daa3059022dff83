/** Texts of `--help`: what commands and their options are for. */
export const HELP_TEXTS = {
  "cli.about": {
    en: "A self-hosted personal AI agent you can leave alone.",
    "zh-CN": "可以放心让它自己运行的自托管个人 AI 代理。",
  },
  "cli.usage": { en: "Usage:", "zh-CN": "用法：" },
  "cli.arguments": { en: "Arguments:", "zh-CN": "参数：" },
  "cli.options": { en: "Options:", "zh-CN": "选项：" },
  "cli.globalOptions": { en: "Common options:", "zh-CN": "通用选项：" },
  "cli.commands": { en: "Commands:", "zh-CN": "命令：" },
  "cli.examples": { en: "Examples:", "zh-CN": "示例：" },
  "cli.help": { en: "show this help", "zh-CN": "显示帮助" },
  "cli.version": { en: "show the version", "zh-CN": "显示版本" },
  "cli.json": {
    en: "print one JSON document, or JSON lines for streams, and nothing else",
    "zh-CN": "只输出一个 JSON 文档（流则为 JSON 行）",
  },
  "cli.lang": { en: "language of texts: en or zh-CN", "zh-CN": "文字语言：en 或 zh-CN" },
  "cli.home": {
    en: "state directory (default: MARGAY_HOME or ~/.margay)",
    "zh-CN": "状态目录（默认 MARGAY_HOME 或 ~/.margay）",
  },
  "cli.workspace": {
    en: "workspace of this run (default: the key `workspace`)",
    "zh-CN": "本次运行的工作区（默认取配置键 workspace）",
  },
  "usage.unknownOption": {
    en: "There is no option {name}.{hint} See `{command} --help`.",
    "zh-CN": "没有 {name} 这个选项。{hint} 参见 `{command} --help`。",
  },
  "usage.unknownCommand": {
    en: "There is no command {name}.{hint} See `{command} --help`.",
    "zh-CN": "没有 {name} 这个命令。{hint} 参见 `{command} --help`。",
  },
  "usage.missingArgument": {
    en: "The argument {name} is missing. See `{command} --help`.",
    "zh-CN": "缺少参数 {name}。参见 `{command} --help`。",
  },
  "usage.missingValue": {
    en: "The option {name} needs a value. See `{command} --help`.",
    "zh-CN": "选项 {name} 需要一个值。参见 `{command} --help`。",
  },
  "usage.tooMany": {
    en: "There are too many arguments. Put a text with spaces in quotes; see `{command} --help`.",
    "zh-CN": "参数过多。含空格的文字请加引号；参见 `{command} --help`。",
  },
  "usage.invalid": {
    en: "{name} cannot be {value}; it must be {expected}. See `{command} --help`.",
    "zh-CN": "{name} 不能为 {value}；应为{expected}。参见 `{command} --help`。",
  },
  "usage.inputNoText": {
    en: "What was piped in is not text in UTF-8. Give a picture with --image FILE, or convert it first.",
    "zh-CN": "管道传入的内容不是 UTF-8 文本。图片请用 --image FILE，或先转换。",
  },
  "usage.noMessage": {
    en: "There is no message. Give one with -m TEXT or on standard input.",
    "zh-CN": "没有消息。请用 -m 文字 给出，或从标准输入提供。",
  },
  "usage.noFile": { en: "{path} cannot be read. Check the path.", "zh-CN": "无法读取 {path}。请检查路径。" },
  "usage.notImage": {
    en: "{path} is not a PNG, JPEG, GIF or WebP picture. Convert it.",
    "zh-CN": "{path} 不是 PNG、JPEG、GIF 或 WebP 图片。请先转换。",
  },
  "error.didYouMean": { en: " Did you mean {name}?", "zh-CN": " 您是否想写 {name}？" },
  "error.lockedByGateway": {
    en: "The gateway is running (process {pid}) and holds {home}. Write to it in the browser (`margay open`), or from a script through its API (`margay token create --name script --scope chat`); or end it with `kill {pid}` and run this again.",
    "zh-CN":
      "网关正在运行（进程 {pid}）并占用 {home}。请在浏览器中与它对话（`margay open`），或让脚本使用它的 API（`margay token create --name script --scope chat`）；也可用 `kill {pid}` 结束它后重试。",
  },
  "error.locked": {
    en: "Process {pid} uses {home}. Stop it, ask it instead (`margay open`), or choose another MARGAY_HOME.",
    "zh-CN": "进程 {pid} 正在使用 {home}。请停止它、改为向它提问（`margay open`），或另选 MARGAY_HOME。",
  },
  "error.noSession": {
    en: "There is no session {key}.{hint} List them with `margay sessions list`.",
    "zh-CN": "没有会话 {key}。{hint} 用 `margay sessions list` 查看列表。",
  },
  "error.busy": {
    en: "The process {pid} did not answer. Try again, or look at {log}.",
    "zh-CN": "进程 {pid} 没有应答。请重试，或查看 {log}。",
  },
  "error.internal": {
    en: "Something unforeseen happened: {message}. Report it; details are in {log}.",
    "zh-CN": "发生了意料之外的情况：{message}。请报告；详情见 {log}。",
  },
  "error.log": {
    en: "The log {log} cannot be written: {reason}. Its last lines are kept in memory until it can.",
    "zh-CN": "日志 {log} 无法写入：{reason}。最后的若干行保存在内存中，直到可以写入为止。",
  },
  "error.noKey": {
    en: "The model {model} has no key. Set {variable}, or run `margay config set providers.{provider}.apiKey -`.",
    "zh-CN": "模型 {model} 没有密钥。请设置 {variable}，或运行 `margay config set providers.{provider}.apiKey -`。",
  },

  "about.chat": {
    en: "chat in the terminal; without a terminal answer one message from standard input",
    "zh-CN": "在终端中聊天；没有终端时回答标准输入中的一条消息",
  },
  "about.agent": {
    en: "send one message and print the answer; without -m the interactive chat",
    "zh-CN": "发送一条消息并输出回答；没有 -m 时进入交互聊天",
  },
  "about.onboard": { en: "first set-up in a dialogue", "zh-CN": "对话式首次设置" },
  "about.sessions": { en: "list, read, export and remove conversations", "zh-CN": "查看、导出和删除会话" },
  "about.sessions.list": { en: "all sessions, newest first", "zh-CN": "所有会话，最新的在前" },
  "about.sessions.show": { en: "what was said", "zh-CN": "显示对话内容" },
  "about.sessions.search": { en: "find a text in all sessions", "zh-CN": "在所有会话中查找文字" },
  "about.sessions.export": { en: "write a session to standard output", "zh-CN": "将会话写到标准输出" },
  "about.sessions.import": { en: "read a transcript into a new session", "zh-CN": "将记录导入为新会话" },
  "about.sessions.fork": { en: "copy a session under a new key", "zh-CN": "以新键复制会话" },
  "about.sessions.delete": { en: "remove journal and transcript of a session", "zh-CN": "删除会话的日志与记录" },
  "about.explain": { en: "each step of a session with its cause", "zh-CN": "会话的每一步及其原因" },
  "about.models": { en: "list, test and choose models", "zh-CN": "查看、测试和选择模型" },
  "about.models.list": { en: "known providers and models", "zh-CN": "已知的提供方与模型" },
  "about.models.test": { en: "send one short request", "zh-CN": "发送一次简短请求" },
  "about.models.use": { en: "use this model from now on", "zh-CN": "从现在起使用该模型" },
  "about.config": { en: "read and change settings", "zh-CN": "查看和修改设置" },
  "about.config.show": { en: "every key, its value and where it comes from", "zh-CN": "每个键的值及其来源" },
  "about.config.get": { en: "the value of one key", "zh-CN": "一个键的值" },
  "about.config.set": {
    en: "change one key; `-` reads the value from standard input",
    "zh-CN": "修改一个键；`-` 从标准输入读取值",
  },
  "about.config.unset": { en: "go back to the default of one key", "zh-CN": "恢复一个键的默认值" },
  "about.config.check": { en: "name everything wrong with config.json", "zh-CN": "列出 config.json 的所有错误" },
  "about.config.path": { en: "where config.json is", "zh-CN": "config.json 的位置" },
  "about.doctor": {
    en: "check the installation and name the command that repairs it",
    "zh-CN": "检查安装并给出修复命令",
  },
  "about.status": { en: "what runs, where and with which model", "zh-CN": "正在运行什么、在哪里、用哪个模型" },
  "about.usage": { en: "tokens, cost and cache hits", "zh-CN": "token、费用与缓存命中" },
  "about.stop": {
    en: "the emergency stop: ends all work until `resume`",
    "zh-CN": "紧急停止：结束全部工作，直到 `resume`",
  },
  "about.resume": { en: "takes the emergency stop back", "zh-CN": "解除紧急停止" },
  "opt.stop.all": { en: "everything; there is no smaller stop here", "zh-CN": "全部（此命令只用于全部停止）" },
  "about.approvals": { en: "calls that wait for a person", "zh-CN": "等待批准的调用" },
  "about.approvals.list": { en: "pending approvals", "zh-CN": "待处理的批准" },
  "about.approvals.allow": { en: "let one call run", "zh-CN": "允许一次调用" },
  "about.approvals.deny": { en: "refuse one call", "zh-CN": "拒绝一次调用" },
  "about.audit": { en: "the log of calls, verdicts and approvals", "zh-CN": "调用、裁决与批准的审计日志" },
  "about.audit.list": { en: "newest records", "zh-CN": "最近的记录" },
  "about.audit.head": {
    en: "number and hash of the newest record, to be kept elsewhere",
    "zh-CN": "最新记录的编号和哈希，可另存他处",
  },
  "opt.audit.head": {
    en: "a head that was noted earlier: it must still be there",
    "zh-CN": "此前记下的 head：必须仍在日志中",
  },
  "about.audit.renew": {
    en: "set a broken log aside and begin a new one that says so",
    "zh-CN": "将断裂的日志另存，并开始一份注明此事的新日志",
  },
  "about.audit.verify": { en: "check the chain of hashes", "zh-CN": "校验哈希链" },

  "opt.message": { en: "the message", "zh-CN": "消息内容" },
  "opt.session": { en: "session key (default: cli:direct)", "zh-CN": "会话键（默认 cli:direct）" },
  "opt.model": { en: "model as provider/model, for this command", "zh-CN": "本次使用的模型，写作 提供方/模型" },
  "opt.image": { en: "picture to send along; may be repeated", "zh-CN": "随消息发送的图片；可重复" },
  "opt.noStream": { en: "print the answer when it is complete", "zh-CN": "回答完成后再输出" },
  "opt.profile": { en: "show the values of this profile", "zh-CN": "显示该预设的值" },
  "opt.limit": { en: "at most this many", "zh-CN": "最多条数" },
  "opt.format": { en: "seed: transcript lines; journal: commits", "zh-CN": "seed：记录行；journal：提交" },
  "opt.key": { en: "key of the new session", "zh-CN": "新会话的键" },
  "opt.seq": { en: "copy up to this commit", "zh-CN": "复制到该提交为止" },
  "opt.turn": { en: "only this turn, from 1", "zh-CN": "仅该轮，从 1 起" },
  "opt.replay": {
    en: "fold the journal again and compare; exit code 1 when a step differs",
    "zh-CN": "重放日志并比较；不一致时退出码为 1",
  },
  "opt.fix": { en: "repair what can be repaired safely", "zh-CN": "修复可以安全修复的问题" },
  "opt.remember": { en: "for how long the yes holds", "zh-CN": "允许的有效范围" },
  "opt.by": { en: "day, model, session or source", "zh-CN": "day、model、session 或 source" },
  "opt.yes": { en: "do not ask", "zh-CN": "不再询问" },
} as const;
