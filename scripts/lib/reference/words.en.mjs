/** What the generated pages of the reference say around their tables. */
const made = (from) =>
  `This page is generated from ${from}; write it again with \`node scripts/reference.mjs --write\`.`;

export const en = {
  suffix: "",
  commands: {
    intro: `# Commands

Every command of \`margay\`, with its options and examples. From a checkout, \`npm start -- agent\` stands for \`margay agent\`.
\`margay COMMAND --help\` says the same in the terminal. [简体中文](commands.zh-CN.md)

${made("`packages/app/src/features.ts`")}
`,
    globalOptions: "Options of every command",
    exitCodes: "Exit codes",
    exit: "code",
    errors: "errors that end with it",
    inAChat: "In a chat",
    aboutChat:
      "A message that begins with a slash is a command. Who may give which depends on who they are: see [Who sees what](../people.md).",
    command: "command",
    option: "option",
    does: "what it does",
    meaning: "meaning",
    usage: "Usage",
    holds: "Commands",
    examples: "Examples",
    stop: ".",
    colon: ": ",
    comma: ", ",
    between: " ",
    oneOf: (values) => `One of ${values}.`,
    repeat: "May be given several times.",
    exits: {
      done: "Done.",
      failed: "It failed; the last line says why, with the code of the error.",
      usage: "The command line is wrong.",
      busy: "Another process holds the state directory, or the file was changed meanwhile: try again.",
      config: "The configuration, a key or a plugin is not as it has to be.",
      again: "The process ends to be started anew: only what supervises it sees this.",
      interrupted: "Ended by Ctrl+C or SIGTERM.",
    },
  },
  tools: {
    intro: `# Tools

What the model can call. Descriptions are those that the model reads. Tools of [MCP servers](../../README.md#mcp-servers) come
after them, named \`mcp_SERVER_TOOL\`; \`extract\` is there while \`policy.strictUnattended\` is on. [简体中文](tools.zh-CN.md)

${made("the tools and the table of the policy")}
`,
    policy: "What a call may do",
    aboutPolicy:
      "Each call is of one class. What happens then depends on whether anything in the conversation came from strangers (a web page, a mail, a file), and on whether a person is there to be asked. Your `policy.rules` come first. See [labels](../concepts/labels.md).",
    class: "class",
    trusted: "nothing from strangers",
    untrusted: "strangers' text, somebody is there",
    alone: "strangers' text, nobody is there",
    cells: { run: "runs", ask: "asks", deny: "refused" },
    effect: "Effect",
    classes: "Classes",
    parameter: "parameter",
    takes: "takes",
    meaning: "meaning",
    required: "(required)",
    noParameters: "Takes nothing.",
    colon: ": ",
    comma: ", ",
    between: " ",
    classTexts: {
      read: "reads what is the agent's own",
      fetch: "reads an address that you named, or that a page you asked for links to",
      "fetch composed": "reads an address that the model put together",
      search: "searches the web",
      "search sensitive": "searches the web after something secret was read",
      write: "writes a file of the workspace",
      exec: "runs a command in the sandbox",
      remember: "keeps a fact in the long-term memory",
      "remember for a group": "keeps a fact for all of a group",
      cron: "adds, changes or removes a job",
      spawn: "starts a subagent",
      "write protected": "writes a file that changes what the agent is (SOUL.md, skills and the like)",
      "write outside": "writes outside of the workspace",
      state: "writes to margay's own state",
      "message here": "sends to the chat that it is in",
      "message named": "sends to somebody you named or let in",
      "message elsewhere": "sends to anybody else",
      "mcp read": "a tool of an MCP server that only reads",
      "mcp read sensitive": "the same after something secret was read",
      "mcp write named": "a tool of an MCP server that changes something, in your own words",
      "mcp write": "a tool of an MCP server that changes something",
      other: "any other tool that only reads",
      "other write": "any other tool that changes something",
    },
  },
  routes: {
    intro: (count) => `# REST API

The ${count} operations of a gateway, below \`/api/v1\` where nothing else is said. [openapi.json](../openapi.json) holds the schemas
of every body and answer; a gateway serves it at \`/api/v1/openapi.json\`. How to get a token: [The gateway](../gateway.md).
\`?name\` is a parameter of the query, other names are fields of the JSON body, \`*\` marks what has to be there.
[简体中文](routes.zh-CN.md)

${made("the routes of the gateway")}
`,
    refusals: "Refusals",
    aboutRefusals:
      "A refusal is `application/problem+json` (RFC 9457) with one of these codes. The last column of the tables below names what an operation refuses beside what any may: malformed requests, missing credentials, limits.",
    operation: "operation",
    request: "request",
    does: "what it does",
    scope: "scope",
    takes: "takes",
    refuses: "refuses",
    code: "code",
    status: "status",
    meaning: "meaning",
  },
  events: {
    intro: `# Events

What travels over \`/ws\` and server-sent events, what a journal holds, and what the audit log names. How to follow a conversation:
[WebSocket](../websocket.md). The schemas are in [ws.schema.json](../ws.schema.json). \`*\` marks what is always there.
[简体中文](events.zh-CN.md)

${made("the frames, the records and the names of the audit log")}
`,
    client: "Frames of a client",
    aboutClient: "Each has an `id` and gets one `reply`, `error` or `pong`.",
    server: "Frames of the gateway",
    aboutServer: "A `commit` is on the disk when it arrives; `live` and `partial` are what is being said right now.",
    topics: "Topics",
    aboutTopics: "For `subscribe` with a `topic`: what changes outside of conversations.",
    topic: "topic",
    liveEvents: "Live events",
    aboutLive: "In `live` frames. Best effort: a record replaces them.",
    live: {
      "text.delta": "more text of the answer",
      "thinking.delta": "more of what the model thinks",
      "tool-call.delta": "more of the arguments of a call",
      "tool.progress": "what a running tool prints",
      "model.waiting": "for how long a person has waited for the first words, every 20 s",
      "text.restarted": "what was shown of this answer is void: it begins again",
    },
    seed: "Frames of CountBot's clients",
    aboutSeed: "On `/ws/chat`, or `/ws?protocol=seed`.",
    records: "Records of a journal",
    aboutRecords:
      "A commit is one line of the journal, with one or several records. Their types are in `packages/core/src/contract/record.ts`.",
    audit: "Events of the audit log",
    aboutAudit: "Beside calls and turns. See [Audit log](../audit.md).",
    type: "type",
    fields: "fields",
    meaning: "meaning",
  },
  troubleshooting: {
    intro: `# Troubleshooting

Begin with \`margay doctor\`: it looks at everything below and says the exact command that repairs what it finds. The code in
brackets at the end of an error leads to its line here. \`margay gateway logs\` shows the end of the log. [简体中文](troubleshooting.zh-CN.md)

${made("the table of errors and the checks of the doctor")}
`,
    errorsPage: "errors.md",
    doctor: "What the doctor looks at",
    aboutDoctor:
      "`margay doctor --fix` makes the repairs that lose nothing. The page System, Doctor in the browser shows the same.",
    check: "check",
    looksAt: "looks at",
    code: "code",
    meaning: "what happened, and what to do",
    symptoms: {
      start: {
        groups: ["config", "state", "usage", "vault", "keyring", "process", "plugin"],
        title: "It does not start, or a command is refused",
        first: "The message names the file and the key, or the process that is in the way.",
      },
      model: {
        groups: ["provider", "model", "budget"],
        title: "The model does not answer",
        first:
          "`margay models list` says what was found and which key is missing; `/model` in a chat takes another one for now.",
      },
      chat: {
        groups: ["inbox", "turn", "system", "channel", "speech"],
        title: "A message gets no answer, or a chat is silent",
        first:
          "`margay channels status` says of each chat platform whether it is connected. `margay resume --all` ends an emergency stop.",
      },
      tool: {
        groups: ["tool", "mcp", "skill", "cron"],
        title: "A tool, skill or job fails",
        first:
          "The model reads the same message, and often tries another way. `margay explain` shows who decided what.",
      },
      data: {
        groups: ["journal", "session", "blob", "disk", "doc", "memory", "import", "backup"],
        title: "Something on the disk cannot be read or written",
        first: "Do not delete anything: move it aside, and keep the log.",
      },
      bug: {
        groups: ["internal"],
        title: "It is a defect of margay",
        first: "What was accepted is in the journal, and goes on at the next start.",
      },
    },
    checks: {
      node: "whether this Node is new enough",
      home: "whether the state directory can be written",
      disk: "how much is free on its disk",
      modes: "whether others on this machine can read your state; `--fix` closes it",
      lock: "whether margay runs, and as which process",
      moved: "whether this home was moved, and where to",
      schedule: "jobs that were held, and why",
      sessions: "whether every journal can be read",
      audit: "whether anybody changed the audit log",
      clock: "whether clock and time zone are plausible",
      workspace: "whether the workspace exists",
      exec: "whether there is a sandbox for commands, and how to install one",
      labels: "what is known about files of strangers",
      mcp: "whether each MCP server starts, and what it offers",
      skills: "whether skills have what they need",
      plugins: "whether installed plugins are as they were approved, and none is suspended",
      channels: "who may write to each channel",
      channelSettings: "whether the settings of each channel fit",
      targets: "whether the chats that jobs and heartbeat send to can be reached",
      budgets: "whether anything bounds what a day may cost",
      port: "whether the port of the gateway is free",
      gateway: "whether the gateway is reachable as it says, and safely",
      model: "whether the model answers, with one small request",
      transcription: "whether recordings can be turned into text",
      speech: "whether replies can be read aloud",
      backup: "how old the last backup is, and whether it could be restored",
    },
  },
};
