/** Texts of `margay mcp`. */
export const MCP_TEXTS = {
  "about.mcp": { en: "servers of the Model Context Protocol", "zh-CN": "MCP 服务器" },
  "about.mcp.list": { en: "the servers of the configuration", "zh-CN": "配置中的服务器" },
  "about.mcp.add": {
    en: "add a server: a program after --, or --url",
    "zh-CN": "添加服务器：在 -- 之后写程序，或用 --url",
  },
  "about.mcp.remove": { en: "remove a server and what is kept about it", "zh-CN": "移除服务器及其保存的数据" },
  "about.mcp.test": { en: "connect to a server and list its tools", "zh-CN": "连接服务器并列出其工具" },
  "about.mcp.approve": {
    en: "show what a server says of itself, ask, and let its tools into the prompt",
    "zh-CN": "显示服务器的自我说明，询问后允许其工具进入提示",
  },
  "about.mcp.accept": { en: "the same as approve", "zh-CN": "同 approve" },
  "about.mcp.login": { en: "sign in to a remote server", "zh-CN": "登录远程服务器" },
  "opt.mcp.url": { en: "address of a server that speaks HTTP", "zh-CN": "通过 HTTP 通信的服务器地址" },
  "opt.mcp.env": { en: "a variable of its environment, NAME=VALUE", "zh-CN": "其环境变量，名称=值" },
  "opt.mcp.header": { en: "a header sent to it, NAME=VALUE", "zh-CN": "发送给它的请求头，名称=值" },
  "opt.mcp.tool": { en: "only this one of its tools", "zh-CN": "仅使用其中该工具" },
  "opt.mcp.network": { en: "a host that the program may reach", "zh-CN": "允许该程序访问的主机" },
  "opt.mcp.writable": {
    en: "a folder that the program sees and may write to",
    "zh-CN": "允许该程序查看和写入的文件夹",
  },
  "opt.mcp.approveHash": {
    en: "approve without asking, if what it says has this hash (`mcp test --json` names it)",
    "zh-CN": "若其说明的哈希与此相同则直接批准（`mcp test --json` 可查看）",
  },
  "opt.mcp.full": { en: "cut nothing of what it says", "zh-CN": "完整显示其说明" },
  "mcp.needsNetwork": {
    en: "{command} fetches what it runs, and servers have no network: margay config set mcpServers.{name}.network '{registry}'",
    "zh-CN":
      "{command} 需要下载要运行的程序，而服务器默认没有网络：margay config set mcpServers.{name}.network '{registry}'",
  },
  "opt.mcp.clientId": { en: "a client that was registered by hand", "zh-CN": "手动注册的客户端标识" },
  "opt.mcp.clientSecret": { en: "variable that holds its secret", "zh-CN": "保存其密钥的环境变量" },
  "mcp.none": {
    en: "There is no MCP server. Add one with `margay mcp add NAME -- COMMAND`.",
    "zh-CN": "没有 MCP 服务器。用 `margay mcp add 名称 -- 命令` 添加。",
  },
  "mcp.unknown": {
    en: "There is no MCP server {name}.{hint} List them with `margay mcp list`.",
    "zh-CN": "没有 MCP 服务器 {name}。{hint} 用 `margay mcp list` 查看列表。",
  },
  "mcp.exists": {
    en: "There is an MCP server {name} already. Remove it first: `margay mcp remove {name}`.",
    "zh-CN": "已有 MCP 服务器 {name}。请先移除：`margay mcp remove {name}`。",
  },
  "mcp.badName": {
    en: "{name} cannot be the name of a server. Use letters, digits, _ and -, at most 32.",
    "zh-CN": "{name} 不能作为服务器名称。请使用字母、数字、_ 和 -，最多 32 个字符。",
  },
  "mcp.commandOrUrl": {
    en: "Give either a program after -- or --url. See `margay mcp add --help`.",
    "zh-CN": "请在 -- 之后给出程序，或使用 --url，二者选一。参见 `margay mcp add --help`。",
  },
  "mcp.badPair": { en: "{text} is not NAME=VALUE.", "zh-CN": "{text} 不是 名称=值 的形式。" },
  "mcp.added": {
    en: "Added {name}: {what}",
    "zh-CN": "已添加 {name}：{what}",
  },
  "mcp.waits": {
    en: "It waits for review: nothing that it says of itself reaches the model before `margay mcp approve {name}`.",
    "zh-CN": "等待审核：在 `margay mcp approve {name}` 之前，其任何说明都不会交给模型。",
  },
  "mcp.notThere": {
    en: "{name} does not answer yet, so there is nothing to look at: {reason}",
    "zh-CN": "{name} 尚无应答，无法查看其说明：{reason}",
  },
  "mcp.writableAsk": {
    en: "{name} may read {folders} and not change anything there. Let it write there too? [y/N] ",
    "zh-CN": "{name} 只能读取 {folders}，不能修改。是否也允许写入？[y/N] ",
  },
  "mcp.writes": { en: "It may write to {folders}.", "zh-CN": "已允许写入 {folders}。" },
  "mcp.readsOnly": {
    en: "It only reads there. Folders that it may change stand in {key}.",
    "zh-CN": "仅可读取。允许修改的文件夹列在 {key} 中。",
  },
  "mcp.removed": { en: "Removed {name}.", "zh-CN": "已移除 {name}。" },
  "mcp.account": {
    en: "{name} runs as user {account}. A folder it is to write to must belong to that user: chown -R {account}:{account} FOLDER",
    "zh-CN": "{name} 以用户 {account} 运行。它要写入的文件夹必须属于该用户：chown -R {account}:{account} 文件夹",
  },
  "mcp.tools": { en: "{name} answers: {count} tools.", "zh-CN": "{name} 有应答：{count} 个工具。" },
  "mcp.warning": { en: "Warning: {fact}.", "zh-CN": "警告：{fact}。" },
  "mcp.state.on": { en: "on", "zh-CN": "启用" },
  "mcp.state.off": { en: "disabled", "zh-CN": "停用" },
  "mcp.state.changed": {
    en: "suspended: {count} tools changed (`margay mcp approve {name}`)",
    "zh-CN": "已暂停：{count} 个工具有变更（`margay mcp approve {name}`）",
  },
  "mcp.state.unapproved": {
    en: "waits for review (`margay mcp approve {name}`)",
    "zh-CN": "等待审核（`margay mcp approve {name}`）",
  },
  "mcp.change.added": { en: "new", "zh-CN": "新增" },
  "mcp.change.removed": { en: "gone", "zh-CN": "消失" },
  "mcp.change.changed": { en: "changed", "zh-CN": "变更" },
  "mcp.before": { en: "before", "zh-CN": "之前" },
  "mcp.after": { en: "now", "zh-CN": "现在" },
  "mcp.effect.read": { en: "says that it only reads: runs unasked", "zh-CN": "自称只读：直接运行" },
  "mcp.effect.idempotent": { en: "says that it may be repeated", "zh-CN": "自称可重复执行" },
  "mcp.effect.write": { en: "may change things", "zh-CN": "可能做出更改" },
  "mcp.parameters": { en: "parameters:", "zh-CN": "参数：" },
  "mcp.instructions": { en: "instructions", "zh-CN": "使用说明" },
  "mcp.cut": { en: "[{count} more characters: --full shows them]", "zh-CN": "[另有 {count} 个字符：--full 可显示]" },
  "mcp.firstLook": {
    en: "{name} says this of itself. The model will read it as it reads your own instructions (hash {hash}):",
    "zh-CN": "{name} 的自我说明如下，批准后模型会视同您的指令（哈希 {hash}）：",
  },
  "mcp.otherLook": {
    en: "{name} says other things of itself than those you approved (hash {hash}):",
    "zh-CN": "{name} 的自我说明与您批准的不同（哈希 {hash}）：",
  },
  "mcp.approveAsk": { en: "Approve exactly this? [y/N] ", "zh-CN": "批准以上内容？[y/N] " },
  "mcp.approved": {
    en: "Approved. Its tools are offered from the next turn on.",
    "zh-CN": "已批准。从下一轮起提供其工具。",
  },
  "mcp.refused": {
    en: "Not approved. {name} stays suspended: `margay mcp remove {name}` removes it.",
    "zh-CN": "未批准。{name} 保持暂停；`margay mcp remove {name}` 可移除。",
  },
  "mcp.notApproved": {
    en: "Nothing was approved: nobody was there to ask. Run it on a terminal, or with --approve-hash {hash}",
    "zh-CN": "未批准：没有可询问的人。请在终端中运行，或加 --approve-hash {hash}",
  },
  "mcp.otherHash": {
    en: "Nothing was approved: what {name} says has another hash, {hash}",
    "zh-CN": "未批准：{name} 的说明的哈希不同，为 {hash}",
  },
  "mcp.changedAgain": {
    en: "Nothing was approved: {name} has changed what it says meanwhile. Run `margay mcp approve {name}` and look again.",
    "zh-CN": "未批准：{name} 在此期间又更改了说明。请再次运行 `margay mcp approve {name}` 并重新查看。",
  },
  "mcp.nothing": { en: "Nothing of {name} waits to be approved.", "zh-CN": "{name} 没有等待批准的内容。" },
  "mcp.open": {
    en: "Open this address in a browser on this machine and sign in:\n{url}",
    "zh-CN": "请在本机浏览器中打开以下地址并登录：\n{url}",
  },
  "mcp.signedIn": { en: "Signed in to {name}: {count} tools.", "zh-CN": "已登录 {name}：{count} 个工具。" },
} as const;
