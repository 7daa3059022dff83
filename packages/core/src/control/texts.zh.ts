import type { Texts } from "../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  help: `/help – 显示本列表
/new – 重新开始：之前的对话不再进入上下文
/stop [编号] – 停止正在进行的工作，并收回等待中的消息；加上 /status 中的编号则只停止一个子智能体
/status – 模型、上下文、用量和正在进行的工作
/usage – 本会话迄今的词元用量和费用
/whoami – 您在此处的身份及其依据的设置
/link [验证码] – 关联您的另一个账号：不带验证码时给出一个，请从该账号发送
/memory – 查看长期记忆的内容
/compact – 立即把之前的对话整理进记忆
/model [provider/model] – 查看或更换本会话的模型
/persona [名称|none] – 查看或更换本会话的性格
/skill [名称] – 列出技能，或让下一条消息使用某个技能
/skills – 列出技能
/history – 查看这里最近的对话
/cron – 查看定时任务
/allow [编号] [session]（或 /approve）、/deny [编号] – 回答审批请求
/trust – 为本会话现有的全部内容担保：其中他人所写的内容视同您所写
/rules – 因有人同意而不再询问的内容；\`/rules remove 编号\` 可撤回一条
/trust files [路径…] – 被视为外来内容的文件；再加 \`all\` 或路径：为其担保
/mcp [approve 名称] – MCP 服务器；在模型读到之前查看其自我说明
/quarantine [ID] – 命令留下的、会自行运行的内容，已另行保存；\`/quarantine restore ID\` 放回原处，\`delete ID\` 删除
/stop all – 停止所有会话，并暂停定时任务，直到 /resume
/restart – 重新启动程序`,
  "help.group": `/digest – 简述最近一天这里说过的内容
/here [off] – 加入或退出本群`,
  "group.joined": "我已加入本群。点名或回复我时我会回答，其余内容我只听不答。",
  "group.left": "我不再读取这里的内容。/here 可恢复。",
  "group.settled": "没有改变：请查看配置中的 `channels.*.chats` 以及 `channels/groups.json`。",
  "group.only": "此命令只用于群聊。",
  "link.off": "此处不能关联账号。",
  "link.private": "只能在与我的私聊中使用，那里没有其他人看到。",
  cleared: "已重新开始，之前的对话不再进入上下文。",
  owner: "您是这里的所有者。",
  notAllowed: "只有管理员可以这样做。",
  unknown: "没有命令 /{name}。/help 列出全部命令。",
  "unknown.near": "没有命令 /{name}。您是想用 /{close} 吗？/help 列出全部命令。",
  comma: "、",

  "memory.empty": "长期记忆是空的。",
  "memory.more": "……memory/MEMORY.md 中还有 {n} 行",
  "memory.off": "这里没有启用长期记忆。",
  "compact.started": "正在把之前的对话整理进记忆，最近的消息仍留在上下文中。",
  "compact.nothing": "还没有可以整理进记忆的内容。",
  "compact.off": "这里没有启用长期记忆。",

  "usage.input": "输入：{input} 个词元，{share}% 来自缓存",
  "usage.output": "输出：{output} 个词元",
  "usage.cost": "费用：{cost}",
  "usage.unknown": "未知",
  "usage.estimated": "部分为估算：服务商没有报告用量。",

  "stopped.turn": "进行中的回合",
  "stopped.answer": "对“{turn}”的回答",
  "stopped.subagent": "子智能体 {name}",
  "stopped.nothing": "这里没有正在进行的工作。",
  "stopped.waiting": "没有正在进行的工作。",
  stopped: "已停止。",
  "stopped.messages": "收回了 {n} 条等待中的消息：",
  "stopped.one": "已停止，其余的继续。\n- 子智能体 {name}",
  "stopped.unknown": "这里没有正在运行的子智能体 {which}。/status 可列出，单独的 /stop 停止全部。",
  "stopped.all": "已停止 {n} 个会话的工作。定时任务已暂停，直到 /resume。",
  resumed: "定时任务已恢复。",
  "resumed.running": "定时任务没有暂停。",
  restart: "正在重新启动，未完成的工作随后继续。",
  "restart.impossible": "这里没有能重新启动程序的机制。请结束程序并自行启动，未完成的工作届时继续。",

  "history.none": "自上次 /new 以来，这里还没有对话。",
  "history.user": "您：{text}",
  "history.assistant": "我：{text}",
  "jobs.off": "这里没有启用定时任务。",
  "jobs.none": "没有定时任务。",
  model: "本会话使用 {model}。",
  "model.changed": "本会话从下一条消息起使用 {model}。",
  "model.unknown": "没有模型 {name}。请按 provider/model 的形式填写。",
  persona: "本会话的性格是 {persona}。",
  "persona.changed": "本会话从下一条消息起的性格是 {persona}。",
  "persona.unknown": "没有名为 {name} 的性格。",
  skills: "技能：{names}",
  "skills.none": "这里没有可用的技能。",
  skill: "技能 {name} 将放在您的下一条消息之前。",
  "skill.unknown": "没有可用的技能 {name}。",
  "skill.others": "没有可用的技能 {name}。可用的有：{names}",
  "resolved.allow": "已批准（仅此一次）。",
  "resolved.deny": "已拒绝。",
  "button.allow": "仅此一次批准",
  "button.plain": "在本会话中批准",
  "button.deny": "拒绝",
  "press.session": "已在本会话中批准，直到 /new。",
  "press.again": "此请求已有答复。",
  "press.expired": "此请求已经结束，没有执行任何操作。",
  "press.changed": "它现在会做别的事情，因此重新询问。没有执行任何操作。",
  "press.unknown": "没有与此按钮对应的请求，没有执行任何操作。",
  "asked.allow": "{by} 已批准（仅此一次）。",
  "asked.session": "{by} 已在本会话中批准。",
  "asked.always": "{by} 已在所有会话中批准。",
  "asked.deny": "{by} 已拒绝。",
  "asked.expired": "无人及时答复。",
  "asked.over": "不再询问。",
  "asked.owner": "所有者",
  onlyOnce: "此类调用每次都会询问：/allow {code}",
  noApproval: "没有编号为 {code} 的待审批请求，可能已过期。",
  "which.none": "这里没有待审批的请求。",
  which: "请指明是哪一个：{codes}",

  trusted: "本会话现有的内容已视为可信；此后读到的内容会重新判断。",
  "trusted.already": "这里没有不可信的内容。",
  "files.none": "工作区中没有被视为外来内容的文件。",
  files: "以下文件被视为外来内容：",
  "files.origin": "{path} 来自 {origin}。是您自己的，还是他人的？",
  "files.more": "另有 {n} 个未列出：`margay trust` 可显示全部",
  "files.next":
    "`/trust files all` 或 `/trust files 路径` 可将所示内容视为您自己的；此后再经外来内容改动的会重新判断。",
  "files.stranger": "`/trust files stranger 路径`：该仓库属于他人，不再询问。",
  "files.unseen": "尚未显示 {paths}。/trust files 可查看现有文件。",
  "files.endorsed": "已视为您自己的：",
  "files.disowned": "属于他人：",
  "files.changed": "显示之后已改动，保持不变；请用 /trust files 重新查看：",
  "files.unknown": "已不存在：",

  "rules.none": "没有长期有效的答复。",
  "rules.everywhere": "在所有对话中（`/rules remove 编号` 可撤回）：",
  "rules.line": "{id} {shown} (由 {by}, {time} UTC)",
  "rules.here": "在此对话中，直到 /new：",
  "rules.removed": "此后会再次询问：{shown}",
  "rules.unknown": "没有规则 {id}。/rules 可列出全部。",

  "quarantine.head": "以下内容由命令留下，因为会自行运行而被另行保存：",
  "quarantine.none": "没有另行保存的内容。",
  "quarantine.more": "另有 {n} 项未列出：`margay quarantine` 可列出全部",
  "quarantine.next":
    "`/quarantine ID` 查看内容，`/quarantine restore ID` 放回原处，`/quarantine delete ID` 删除。30 天后自动移除。",
  "quarantine.size.file": "{bytes} 字节",
  "quarantine.size.directory": "文件夹，{bytes} 字节",
  "quarantine.size.link": "链接",
  "quarantine.line": "{path}（{why}），{size}",
  "quarantine.about": "{path}（{size}），保存原因：{why}",
  "quarantine.noText": "不是文本。",
  "quarantine.cut": "仅显示开头部分：`margay quarantine show {id}` 可显示更多。",
  "quarantine.offer": "`/quarantine restore {id}` 将所示内容放回原处，`/quarantine delete {id}` 将其删除。",
  "quarantine.changed": "未做任何改动：内容与此处显示过的不一致。现在的内容是：",
  "quarantine.which": "请指明是哪一项：`/quarantine {verb} ID`。/quarantine 可列出。",
  "quarantine.unknown": "没有编号为 {id} 的内容，可能已取回或已删除；/quarantine 可列出现有内容。",
  "quarantine.restored": "{path} 已放回原处，视为您自己的。",
  "quarantine.occupied": "{path} 处现已有其他内容，因此未做任何改动。请先将其移开，再发送 `/quarantine restore {id}`",
  "quarantine.other": "内容与此处显示过的不一致，因此未做任何改动。请重新查看：`/quarantine {id}`",
  "quarantine.deleted": "{path} 已删除。",

  "status.model": "模型：{model}",
  "status.context": "上下文：约 {size} 个词元（{share}%），本段 {messages} 条",
  "status.tokens": "用量：输入 {input}（缓存 {cached}%），输出 {output}{cost}",
  "status.idle": "状态：空闲",
  "status.children": "状态：{n} 个子智能体在工作",
  "status.working": "状态：工作中，第 {step} 步，{running} 个工具在运行，{asked} 个待审批",
  "status.waiting": "等待：{pending} 条消息，未送达 {undelivered} 条",
  "status.child": "{at}. {name}：第 {step} 步，已 {time}（/stop {at} 可停止）",
  "status.seconds": "{n} 秒",
  "status.minutes": "{n} 分钟",

  "server.none": "没有 MCP 服务器。",
  "server.line": "- {name}：{state}，{n} 个工具",
  "server.waits": "，等待审核：`/mcp approve {name}`",
  "server.first": "{name} 的自我说明如下，批准后模型会视同您的指令。",
  "server.again": "{name} 的自我说明与您批准的不同。",
  "server.answer": "`/mcp approve {name} {code}` 批准以上内容，`/mcp refuse {name} {code}` 不予批准。",
  "server.approved": "已批准 {name}，从下一条消息起提供其工具。",
  "server.refused": "未批准，{name} 保持暂停。",
  "server.changed": "{name} 的说明已与所示不同：`/mcp approve {id}` 可重新查看。",
  "server.nothing": "{name} 没有等待审核的内容。",
  "server.unknown": "没有 MCP 服务器 {name}。/mcp 可列出全部。",
  "server.silent": "{name} 没有应答，无法查看其说明：`margay mcp test {id}` 可查明原因。",
  "server.usage": "`/mcp` 列出服务器；`/mcp approve 名称` 显示其自我说明。",
  "server.state.off": "尚未连接",
  "server.state.connecting": "连接中",
  "server.state.up": "运行中",
  "server.state.failed": "失败",
  "server.state.login": "需要登录",
  "server.state.changed": "已暂停",
  "server.state.unapproved": "已暂停",
  "server.kind.added": "新增",
  "server.kind.removed": "消失",
  "server.kind.changed": "变更",
  "server.effect.read": "自称只读：直接运行",
  "server.effect.idempotent": "自称可重复执行",
  "server.effect.write": "可能做出更改",
  "server.comma": "，",
  "server.instructions": "使用说明：",
  "server.before": "之前：",
  "server.now": "现在：",
  "server.parameters": "参数：",
  "server.cut": "另有 {n} 个字符未显示：`margay mcp approve 名称 --full` 或 MCP 页面可查看全部。",
  "server.more": "另有 {n} 个工具：`margay mcp approve 名称` 或 MCP 页面可查看。",
};
