import type { Texts } from "@margay/core/internal/state";
import type { ASKED_WORDS } from "./asked-words.en.ts";

export const ASKED_WORDS_ZH: Texts<typeof ASKED_WORDS> = {
  "why.exec without sandbox": "此处的命令不在沙箱中运行。",
  "why.exec deny list": "这类命令每次都会询问。",
  "why.write protected": "该文件会影响代理的行为，或会自行运行。",
  "why.write outside": "该文件在工作区之外。",
  "why.message elsewhere": "该消息会发送到其他对话。",
  "why.mcp write": "MCP 服务器的工具可能会更改其中的内容。",
  "why.network": "命令正在运行，并在等待此连接。它发送到那里的内容会离开本机。",
  "risk.untrusted-content": "此前读过他人的文字：这个主意可能来自他们。",
  "risk.title": "可能的风险",
  "risk.no-sandbox": "它能读取、更改和发送您账户可及的一切。",
  "risk.destructive": "可能会破坏数据或使机器停机。",
  "risk.deletes-folders": "它会直接删除整个文件夹，不再询问。",
  "risk.formats-disk": "它会格式化磁盘或更改分区。",
  "risk.writes-disk": "它会覆盖磁盘或系统文件。",
  "risk.opens-rights": "它会让所有人都能更改这些文件。",
  "risk.stops-machine": "它会关闭或重启机器。",
  "risk.fork-bomb": "它会无止境地启动进程。",
  "risk.own-list": "它符合您设置中 tools.exec.denyPatterns 的某个模式。",
  "risk.instructions": "它会改变代理今后遵循的内容。",
  "risk.outside-workspace": "不会保留该文件的旧版本。",
  "risk.reaches-others": "其他人会立即看到。",
  "risk.outside-service": "它在那里的操作无法在此撤销。",
  "risk.hidden-characters": "其中有通常不可见的字符，上面已将其写出。",
};
