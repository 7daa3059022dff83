/** Texts of the command line: what commands say. */
export const CLI_TEXTS = {
  "agent.waiting": {
    en: "Waiting for the subagents it started (Ctrl+C leaves them to the next start).",
    "zh-CN": "正在等待它启动的子代理（按 Ctrl+C 留待下次启动）。",
  },
  "agent.practice": {
    en: "Practice mode: no model is configured, so a small program answers, not a language model. `margay onboard` sets one up.",
    "zh-CN": "练习模式：未配置模型，由一个小程序回答，而不是语言模型。运行 `margay onboard` 进行设置。",
  },
  "agent.awaitsInput": {
    en: "Waiting for the end of standard input …",
    "zh-CN": "正在等待标准输入结束……",
  },
  "agent.noInput": {
    en: "Nothing came on standard input; going on with the message alone.",
    "zh-CN": "标准输入没有内容；仅使用消息继续。",
  },
  "agent.tool": { en: "· {name} {input}", "zh-CN": "· {name} {input}" },
  "agent.toolDone": { en: "  {status} ({ms} ms)", "zh-CN": "  {status}（{ms} 毫秒）" },
  "agent.retry": {
    en: "The request failed ({message}); it is repeated.",
    "zh-CN": "请求失败（{message}），正在重试。",
  },
  "agent.stillWaiting": {
    en: "No answer from the model for {seconds} s; still waiting. Ctrl-C stops it.",
    "zh-CN": "模型 {seconds} 秒内没有回应，仍在等待。按 Ctrl-C 停止。",
  },
  "agent.restarted": {
    en: "The answer starts again; what was shown of it is void.",
    "zh-CN": "回答重新开始；之前显示的部分作废。",
  },
  "agent.earlier": { en: "A reply of {chat} that was not shown before:", "zh-CN": "{chat} 中先前未显示的回复：" },
  "agent.approve": { en: "Allow it? [y/N] ", "zh-CN": "允许吗？[y/N] " },
  "agent.interrupted": { en: "Stopped. What was begun ends here.", "zh-CN": "已停止。已开始的工作到此结束。" },
  "agent.stopped": {
    en: "Stopped. The turn goes on at the next start unless you stop it with /stop.",
    "zh-CN": "已停止。除非用 /stop 终止，该轮将在下次启动时继续。",
  },

  "sessions.none": { en: "There are no sessions yet.", "zh-CN": "还没有会话。" },
  "sessions.rows": { en: "{count} rows", "zh-CN": "{count} 行" },
  "sessions.damaged": { en: "cannot be read", "zh-CN": "无法读取" },
  "sessions.noMatch": { en: "Nothing matches.", "zh-CN": "没有匹配项。" },
  "sessions.imported": { en: "{rows} rows were imported into {key}.", "zh-CN": "已将 {rows} 行导入 {key}。" },
  "sessions.notEmpty": {
    en: "The session {key} has messages already. Give another one with --key.",
    "zh-CN": "会话 {key} 已有消息。请用 --key 指定另一个会话。",
  },
  "sessions.forked": { en: "{key} is a copy of {from}.", "zh-CN": "{key} 是 {from} 的副本。" },
  "sessions.deleted": { en: "{key} is removed.", "zh-CN": "{key} 已删除。" },
  "sessions.confirm": { en: "Remove {key} with all its messages? [y/N] ", "zh-CN": "删除 {key} 及其全部消息？[y/N] " },
  "sessions.kept": { en: "Nothing was removed.", "zh-CN": "未删除任何内容。" },
  "sessions.you": { en: "you", "zh-CN": "你" },

  "explain.differs": {
    en: "{count} step(s) differ from what the loop wanted.",
    "zh-CN": "{count} 步与循环的决定不一致。",
  },
  "explain.same": {
    en: "All {count} commits follow from the state before them.",
    "zh-CN": "全部 {count} 次提交均与其前的状态一致。",
  },

  "models.current": { en: "in use", "zh-CN": "使用中" },
  "models.keySet": { en: "key set", "zh-CN": "已有密钥" },
  "models.keyMissing": { en: "no key ({variable})", "zh-CN": "无密钥（{variable}）" },
  "models.works": { en: "{model} answered in {ms} ms.", "zh-CN": "{model} 在 {ms} 毫秒内作答。" },
  "models.fails": { en: "{model} does not answer: {message}", "zh-CN": "{model} 没有作答：{message}" },
  "models.used": { en: "{model} is used from the next turn on.", "zh-CN": "从下一轮起使用 {model}。" },
  "models.unknown": {
    en: "{model} is not in the catalog.{hint} See `margay models list`.",
    "zh-CN": "目录中没有 {model}。{hint} 参见 `margay models list`。",
  },

  "approvals.none": { en: "Nothing waits for an approval.", "zh-CN": "没有等待批准的调用。" },
  "approvals.expires": { en: "expires in {seconds} s", "zh-CN": "{seconds} 秒后过期" },
  "approvals.unknown": {
    en: "No pending approval has the code {code}.{hint} See `margay approvals list`.",
    "zh-CN": "没有代码为 {code} 的待批准调用。{hint} 参见 `margay approvals list`。",
  },
  "approvals.allowed": { en: "Allowed: {name}.", "zh-CN": "已允许：{name}。" },
  "approvals.allowedSession": { en: "Allowed in this chat: {name}.", "zh-CN": "在此对话中允许：{name}。" },
  "approvals.allowedAlways": {
    en: "Always allowed: {name}. `margay open` shows the rule under Approvals.",
    "zh-CN": "始终允许：{name}。规则见 `margay open` 的“审批”页。",
  },
  "approvals.onlyOnce": {
    en: "{name} is asked about each time. Allow it without --remember.",
    "zh-CN": "{name} 每次都会询问，请不带 --remember 允许。",
  },
  "approvals.remember": { en: "--remember {values} would cover:", "zh-CN": "--remember {values} 的范围：" },
  "approvals.denied": { en: "Denied: {name}.", "zh-CN": "已拒绝：{name}。" },
  "approvals.nextStart": {
    en: "No margay process runs; the turn goes on at the next start.",
    "zh-CN": "没有正在运行的 margay 进程；该轮将在下次启动时继续。",
  },
  "rules.none": { en: "Nothing was answered for all chats.", "zh-CN": "没有对所有对话生效的答复。" },
  "rules.by": { en: "said by {by}, {when}", "zh-CN": "由 {by} 同意，{when}" },
  "rules.removed": { en: "Asked about again from now on: {shown}", "zh-CN": "此后会再次询问：{shown}" },
  "rules.unknown": {
    en: "There is no rule {id}. List them with margay approvals rules.",
    "zh-CN": "没有规则 {id}。可用 margay approvals rules 列出。",
  },
  "approvals.late": { en: "{name} was decided or expired meanwhile.", "zh-CN": "{name} 已被处理或已过期。" },

  "stop.needsAll": {
    en: "Write --all: this stops or releases everything. One conversation is stopped with /stop.",
    "zh-CN": "请加上 --all：此命令停止或恢复全部工作。停止单个会话请用 /stop。",
  },
  "stop.set": {
    en: "Everything is stopped. No margay process runs; the next one starts stopped, until `margay resume --all`.",
    "zh-CN": "已全部停止。当前没有正在运行的 margay 进程；下次启动时仍为停止状态，直到 `margay resume --all`。",
  },
  "stop.done": {
    en: "Everything is stopped: {turns} conversation(s) and {processes} command(s) ended. Release it with `margay resume --all`.",
    "zh-CN": "已全部停止：结束了 {turns} 个会话的工作和 {processes} 个命令。用 `margay resume --all` 恢复。",
  },
  "stop.unconfirmed": {
    en: "The stop is set, but process {pid} did not confirm it: what it has in hand may still run. Kill it: kill -9 {pid}",
    "zh-CN": "已设置停止，但进程 {pid} 没有确认：它手头的工作可能仍在运行。请结束它：kill -9 {pid}",
  },
  "stop.notOn": { en: "Nothing is stopped.", "zh-CN": "当前没有停止。" },
  "stop.released": { en: "The emergency stop is released.", "zh-CN": "已解除紧急停止。" },

  "audit.unrecorded": {
    en: "This was done but could not be written into the audit log ({name}): the running process did not answer.",
    "zh-CN": "操作已完成，但无法写入审计日志（{name}）：正在运行的进程没有应答。",
  },
  "audit.none": { en: "The audit log is empty.", "zh-CN": "审计日志为空。" },
  "audit.whole": { en: "The chain of {count} records is whole.", "zh-CN": "{count} 条记录的哈希链完整。" },
  "audit.broken": {
    en: "The chain is broken at record {seq}: {reason} ({file}, line {line}).",
    "zh-CN": "哈希链在第 {seq} 条记录处断裂：{reason}（{file}，第 {line} 行）。请与备份比较；此前的记录完整。",
  },
  "audit.gone": {
    en: "The audit log is not whole: {name} is gone, and what vouches for it is there. Compare with a backup.",
    "zh-CN": "审计日志不完整：{name} 已不存在，而能证明它曾存在的内容仍在。请与备份比较。",
  },
  "audit.behind": {
    en: "The audit log is not whole: it ends before the newest of {session}, which is in its journal. Compare with a backup.",
    "zh-CN": "审计日志不完整：{session} 的会话日志中有比审计日志末尾更新的内容。请与备份比较。",
  },
  "audit.renewed": {
    en: "The broken log is kept as {aside} in the state directory. A new one has begun.",
    "zh-CN": "断裂的日志已在状态目录中保存为 {aside}。新的日志已开始。",
  },
  "audit.begun": { en: "A new audit log has begun.", "zh-CN": "新的审计日志已开始。" },
  "audit.reason.edited": { en: "a record was changed", "zh-CN": "记录被修改" },
  "audit.reason.missing": { en: "a record is missing", "zh-CN": "缺少记录" },
  "audit.reason.reordered": { en: "records are not in their order", "zh-CN": "记录顺序被改变" },
  "audit.reason.truncated": { en: "the end was cut off, or a day is gone", "zh-CN": "末尾被截断，或缺少某一天的文件" },
  "audit.reason.key": { en: "it is not signed with the key of this log", "zh-CN": "签名与此日志的密钥不符" },
  "audit.badHead": {
    en: "--head takes what `margay audit head` printed: a number, a colon and 64 hexadecimal digits.",
    "zh-CN": "--head 需要 `margay audit head` 输出的内容：数字、冒号和 64 位十六进制数。",
  },
  "audit.headBroken": {
    en: "The chain is broken; this is the last record that fits. `margay audit verify` says more.",
    "zh-CN": "哈希链已断裂；以上是最后一条吻合的记录。详情见 `margay audit verify`。",
  },

  "usage.none": { en: "Nothing was used yet.", "zh-CN": "还没有用量。" },
  "usage.group.day": { en: "day", "zh-CN": "日期" },
  "usage.group.model": { en: "model", "zh-CN": "模型" },
  "usage.group.session": { en: "session", "zh-CN": "会话" },
  "usage.group.source": { en: "source", "zh-CN": "来源" },
  "usage.requests": { en: "requests", "zh-CN": "请求" },
  "usage.input": { en: "input", "zh-CN": "输入" },
  "usage.output": { en: "output", "zh-CN": "输出" },
  "usage.cache": { en: "from cache", "zh-CN": "缓存命中" },
  "usage.cost": { en: "USD", "zh-CN": "美元" },
  "usage.total": { en: "total", "zh-CN": "合计" },
} as const;
