/** What the Chinese pages of the reference say around their tables. */
const made = (from) => `本页由${from}生成；用 \`node scripts/reference.mjs --write\` 重新生成。`;

export const zh = {
  suffix: ".zh-CN",
  commands: {
    intro: `# 命令

\`margay\` 的全部命令，以及各自的选项和示例。在源码目录中，\`npm start -- agent\` 等同于 \`margay agent\`。
\`margay 命令 --help\` 在终端中显示同样的内容。[English](commands.md)

${made(" `packages/app/src/features.ts` ")}
`,
    globalOptions: "所有命令通用的选项",
    exitCodes: "退出码",
    exit: "退出码",
    errors: "以它结束的错误",
    inAChat: "聊天中的命令",
    aboutChat: "以斜杠开头的消息是命令。谁能用哪些命令取决于身份，见[谁看得到什么](../people.zh-CN.md)。",
    command: "命令",
    option: "选项",
    does: "作用",
    meaning: "含义",
    usage: "用法",
    holds: "子命令",
    examples: "示例",
    stop: "。",
    colon: "：",
    comma: "、",
    between: "",
    oneOf: (values) => `取值：${values}。`,
    repeat: "可以重复给出。",
    exits: {
      done: "完成。",
      failed: "失败；最后一行说明原因和错误码。",
      usage: "命令行有误。",
      busy: "另一个进程占用着状态目录，或文件同时被改动：请重试。",
      config: "配置、密钥或插件不符合要求。",
      again: "进程结束以便重新启动：只有监管它的程序会看到。",
      interrupted: "被 Ctrl+C 或 SIGTERM 结束。",
    },
  },
  tools: {
    intro: `# 工具

模型可以调用的工具。引用的说明就是模型读到的英文原文。[MCP 服务器](../../README.zh-CN.md)的工具排在其后，名为 \`mcp_服务器_工具\`；
\`extract\` 仅在 \`policy.strictUnattended\` 打开时存在。[English](tools.md)

${made("工具本身和策略表")}
`,
    policy: "调用受到的约束",
    aboutPolicy:
      "每次调用属于一个类别。如何处理取决于对话中是否有陌生人的内容（网页、邮件、文件），以及是否有人可以询问。您的 `policy.rules` 优先。详见[标签](../concepts/labels.zh-CN.md)。",
    class: "类别",
    trusted: "没有陌生人的内容",
    untrusted: "有陌生人的内容，有人在场",
    alone: "有陌生人的内容，无人在场",
    cells: { run: "执行", ask: "询问", deny: "拒绝" },
    effect: "影响",
    classes: "类别",
    parameter: "参数",
    takes: "取值",
    meaning: "含义",
    required: "（必填）",
    noParameters: "没有参数。",
    colon: "：",
    comma: "、",
    between: "　",
    classTexts: {
      read: "读取智能体自己的内容",
      fetch: "读取您说出的网址，或您所要网页中的链接",
      "fetch composed": "读取由模型拼出的网址",
      search: "搜索网络",
      "search sensitive": "读过机密之后搜索网络",
      write: "写工作区中的文件",
      exec: "在沙箱中运行命令",
      remember: "把事实记入长期记忆",
      "remember for a group": "为整个群记住事实",
      cron: "添加、修改或删除定时任务",
      spawn: "启动子代理",
      "write protected": "写会改变智能体自身的文件（SOUL.md、技能等）",
      "write outside": "写工作区之外的文件",
      state: "写 margay 自己的状态",
      "message here": "发到当前聊天",
      "message named": "发给您说出或允许的人",
      "message elsewhere": "发给其他任何人",
      "mcp read": "MCP 服务器的只读工具",
      "mcp read sensitive": "读过机密之后调用只读工具",
      "mcp write named": "MCP 服务器的写入工具，内容是您的原话",
      "mcp write": "MCP 服务器的写入工具",
      other: "其他只读工具",
      "other write": "其他会改动内容的工具",
    },
  },
  routes: {
    intro: (count) => `# REST 接口

网关的 ${count} 个操作。[openapi.json](../openapi.json) 给出所有请求体和回答的结构；网关在 \`/api/v1/openapi.json\` 提供同一文件。
如何取得令牌见[网关](../gateway.zh-CN.md)。\`?name\` 是查询参数，其余是 JSON 请求体的字段，\`*\` 表示必填。接口说明与 OpenAPI 文件一致，为英文。
[English](routes.md)

${made("网关的路由")}
`,
    refusals: "拒绝",
    aboutRefusals:
      "拒绝以 `application/problem+json`（RFC 9457）给出，并带有下列代码之一。下面各表最后一列只列出该操作特有的代码；格式有误、缺少凭据、超出限制等任何操作都可能出现。",
    operation: "操作",
    request: "请求",
    does: "作用",
    scope: "权限",
    takes: "参数",
    refuses: "拒绝",
    code: "代码",
    status: "状态码",
    meaning: "含义",
  },
  events: {
    intro: `# 事件

\`/ws\` 和服务器推送事件中传输的内容、日志中的记录，以及审计日志的事件名。如何跟随一个对话见 [WebSocket](../websocket.zh-CN.md)。
结构见 [ws.schema.json](../ws.schema.json)。\`*\` 表示总会出现的字段。记录的说明取自源码，为英文。[English](events.md)

${made("数据帧、记录和审计日志的事件名")}
`,
    client: "客户端的帧",
    aboutClient: "每个帧都有 `id`，并得到一个 `reply`、`error` 或 `pong`。",
    server: "网关的帧",
    aboutServer: "收到 `commit` 时它已写入磁盘；`live` 和 `partial` 是正在产生的内容。",
    topics: "主题",
    aboutTopics: "用于带 `topic` 的 `subscribe`：对话之外的变化。",
    topic: "主题",
    liveEvents: "实时事件",
    aboutLive: "位于 `live` 帧中。尽力送达，最终由记录取代。",
    live: {
      "text.delta": "回答的后续文字",
      "thinking.delta": "模型思考的后续内容",
      "tool-call.delta": "调用参数的后续内容",
      "tool.progress": "运行中的工具输出的内容",
      "model.waiting": "有人等待首批文字已有多久，每 20 秒一次",
      "text.restarted": "此前显示的回答作废，重新开始",
    },
    seed: "CountBot 客户端的帧",
    aboutSeed: "位于 `/ws/chat` 或 `/ws?protocol=seed`。",
    records: "日志的记录",
    aboutRecords: "一次提交是日志中的一行，含一条或多条记录。类型定义在 `packages/core/src/contract/record.ts`。",
    audit: "审计日志的事件",
    aboutAudit: "调用和轮次之外的事件。见[审计日志](../audit.zh-CN.md)。",
    type: "类型",
    fields: "字段",
    meaning: "含义",
  },
  troubleshooting: {
    intro: `# 故障排查

先运行 \`margay doctor\`：它检查下列各项，并给出修复所需的确切命令。错误末尾方括号中的代码对应本页中的一行。
\`margay gateway logs\` 显示日志的末尾。[English](troubleshooting.md)

${made("错误表和诊断项目")}
`,
    errorsPage: "errors.zh-CN.md",
    doctor: "诊断检查的内容",
    aboutDoctor: "`margay doctor --fix` 执行不会丢失任何内容的修复。浏览器中“系统”页面的“诊断”显示相同内容。",
    check: "项目",
    looksAt: "检查什么",
    code: "代码",
    meaning: "发生了什么，怎么办",
    symptoms: {
      start: {
        groups: ["config", "state", "usage", "vault", "keyring", "process", "plugin"],
        title: "无法启动，或命令被拒绝",
        first: "消息会指出文件和键，或占用资源的进程。",
      },
      model: {
        groups: ["provider", "model", "budget"],
        title: "模型不回答",
        first: "`margay models list` 说明发现了哪些服务、缺少哪个密钥；在聊天中可用 `/model` 临时换一个模型。",
      },
      chat: {
        groups: ["inbox", "turn", "system", "channel", "speech"],
        title: "消息没有回音，或某个聊天平台没有动静",
        first: "`margay channels status` 说明各平台是否已连接。`margay resume --all` 解除紧急停止。",
      },
      tool: {
        groups: ["tool", "mcp", "skill", "cron"],
        title: "工具、技能或定时任务失败",
        first: "模型会读到同样的消息，并常常换一种做法。`margay explain` 显示是谁作出了什么决定。",
      },
      data: {
        groups: ["journal", "session", "blob", "disk", "doc", "memory", "import", "backup"],
        title: "磁盘上的内容无法读取或写入",
        first: "不要删除任何东西：先移到一旁，并保留日志。",
      },
      bug: {
        groups: ["internal"],
        title: "margay 自身的缺陷",
        first: "已接受的内容都在日志里，下次启动时继续。",
      },
    },
    checks: {
      node: "Node 版本是否够新",
      home: "状态目录是否可写",
      disk: "所在磁盘还剩多少空间",
      modes: "本机其他用户能否读到您的状态；`--fix` 会收紧权限",
      lock: "margay 是否在运行，以及进程号",
      moved: "该状态目录是否已迁移，以及迁移到何处",
      schedule: "被搁置的定时任务及原因",
      sessions: "每个日志是否可读",
      audit: "审计日志是否被改动",
      clock: "时钟和时区是否合理",
      workspace: "工作区是否存在",
      exec: "是否有用于命令的沙箱，以及如何安装",
      labels: "关于陌生人文件的记录",
      mcp: "每个 MCP 服务器能否启动、提供什么",
      skills: "技能所需的东西是否齐全",
      plugins: "已安装的插件是否与批准时一致，有无被暂停",
      channels: "谁可以在各渠道写消息",
      channelSettings: "各渠道的设置是否有效",
      targets: "定时任务和心跳的目标聊天能否送达",
      budgets: "是否有每日花费的上限",
      port: "网关端口是否空闲",
      gateway: "网关能否按设置安全地访问",
      model: "用一个很小的请求检查模型是否回答",
      transcription: "录音能否转成文字",
      speech: "回答能否朗读",
      backup: "上次备份的时间，以及能否恢复",
    },
  },
};
