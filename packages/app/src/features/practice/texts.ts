/** What practice mode says. Every text exists in both languages. */
export interface PracticeTexts {
  readonly footer: string;
  readonly hello: string;
  readonly thanks: string;
  readonly identity: string;
  readonly help: string;
  readonly examples: readonly string[];
  readonly unknown: (text: string) => string;
  readonly tooMany: (limit: number) => string;
  readonly listed: (path: string, count: number) => string;
  readonly emptyFolder: (path: string) => string;
  readonly more: (count: number) => string;
  readonly contents: (path: string) => string;
  readonly emptyFile: (path: string) => string;
  readonly cut: (path: string, lines: number) => string;
  readonly partial: (path: string) => string;
  readonly about: (path: string, lines: number, words: number) => string;
  readonly titled: (title: string) => string;
  readonly begins: (sentences: string) => string;
  readonly sections: (names: string) => string;
  readonly extract: string;
  readonly noText: string;
  readonly wrote: (path: string) => string;
  readonly appended: (path: string) => string;
  readonly edited: (path: string) => string;
  readonly found: (text: string) => string;
  readonly ran: (command: string, code: string) => string;
  readonly noOutput: string;
  readonly web: (query: string) => string;
  readonly page: (url: string) => string;
  readonly remembered: (text: string) => string;
  readonly knownAlready: string;
  readonly recalled: (query: string) => string;
  readonly recalledNothing: (query: string) => string;
  readonly jobs: string;
  readonly noJobs: string;
  readonly scheduled: (result: string) => string;
  readonly removed: (id: string) => string;
  readonly spawned: (result: string) => string;
  readonly skill: (name: string) => string;
  readonly time: (clock: string) => string;
  readonly noTime: string;
  readonly report: string;
  readonly noTool: (tool: string, what: string) => string;
  readonly failed: (what: string, reason: string) => string;
  readonly denied: (what: string, reason: string) => string;
  readonly interrupted: (what: string, text: string) => string;
  readonly tooLarge: (path: string) => string;
  readonly notDone: (what: string) => string;
  readonly doing: {
    readonly list: (path: string) => string;
    readonly read: (path: string) => string;
    readonly write: (path: string) => string;
    readonly append: (path: string) => string;
    readonly edit: (path: string) => string;
    readonly searchFiles: (text: string) => string;
    readonly run: (command: string) => string;
    readonly searchWeb: (query: string) => string;
    readonly fetch: (url: string) => string;
    readonly remember: string;
    readonly recall: string;
    readonly schedule: string;
    readonly jobs: string;
    readonly spawn: string;
    readonly skill: (name: string) => string;
  };
}

const english: PracticeTexts = {
  footer: "*Practice mode: no language model is connected. Set one up with `margay onboard`.*",
  hello:
    "Hello! I am margay in practice mode: a few fixed sentences instead of a language model. Type `help` to see what I understand.",
  thanks: "You're welcome.",
  identity:
    "I am margay in **practice mode**. I am not a language model: I recognize a few plain sentences and carry them out with the real tools, memory and schedule, so that you can try everything without a key. Connect a model with `margay onboard` or `margay config set model PROVIDER/MODEL`.",
  help: "I am margay in **practice mode** – not a language model. I understand plain sentences like these, also joined with “and” or “then”:",
  examples: [
    "list the files here and tell me what README.md is about",
    "read notes.txt",
    "write buy milk to todo.txt, then read it",
    "append call Bob to todo.txt",
    "replace milk with tea in todo.txt",
    "search files for TODO",
    "run ls -la",
    "search the web for margay",
    "fetch https://example.com",
    "remember that I like tea",
    "what do you remember about tea",
    "every day at 9 remind me to stretch",
    "spawn a helper to list the files",
  ],
  unknown: (text) =>
    `I did not understand “${text}”. I am in practice mode: not a language model, only a few fixed sentences. Try \`help\` for examples, or connect a real model with \`margay onboard\` or \`margay config set model PROVIDER/MODEL\`.`,
  tooMany: (limit) => `That was more than ${limit} requests; I did the first ${limit}.`,
  listed: (path, count) =>
    `${path === "." ? "The workspace" : `\`${path}\``} has ${count} ${count === 1 ? "entry" : "entries"}:`,
  emptyFolder: (path) => `${path === "." ? "The workspace" : `\`${path}\``} is empty.`,
  more: (count) => `… and ${count} more`,
  contents: (path) => `\`${path}\`:`,
  emptyFile: (path) => `\`${path}\` is empty.`,
  cut: (path, lines) => `These are the first ${lines} lines of \`${path}\`.`,
  partial: (path) => `\`${path}\` is long; I read its beginning only.`,
  about: (path, lines, words) => `**${path}** (${lines} ${lines === 1 ? "line" : "lines"}, ${words} words) – `,
  titled: (title) => `Its title is “${title}”. `,
  begins: (sentences) => `It begins: ${sentences}`,
  sections: (names) => `Sections: ${names}.`,
  extract: "(An extract, not a summary: practice mode cannot think about a text.)",
  noText: "It has no prose I could quote.",
  wrote: (path) => `I wrote \`${path}\`.`,
  appended: (path) => `I added the line to \`${path}\`.`,
  edited: (path) => `I edited \`${path}\`:`,
  found: (text) => `Lines with “${text}”:`,
  ran: (command, code) => `I ran \`${command}\` (exit code ${code}):`,
  noOutput: "No output.",
  web: (query) => `The web search for “${query}” found:`,
  page: (url) => `From ${url}:`,
  remembered: (text) => `I will remember: ${text}`,
  knownAlready: "I knew that already.",
  recalled: (query) => `About “${query}” I remember:`,
  recalledNothing: (query) => `I remember nothing about “${query}”.`,
  jobs: "Scheduled jobs:",
  noJobs: "No jobs are scheduled.",
  scheduled: (result) => `Done. ${result}`,
  removed: (id) => `I removed job \`${id}\`.`,
  spawned: (result) => result,
  skill: (name) => `Skill \`${name}\` says:`,
  time: (clock) => `It was ${clock} when you asked.`,
  noTime: "I was not told the time.",
  report: "A helper reports:",
  noTool: (tool, what) => `I could not ${what}: the tool \`${tool}\` is not available here.`,
  failed: (what, reason) => `I could not ${what}: ${reason}`,
  denied: (what, reason) => `I did not ${what}: ${reason}`,
  interrupted: (what, text) => `I was interrupted while I tried to ${what}; it may or may not have happened. ${text}`,
  tooLarge: (path) => `\`${path}\` is too long for practice mode to append to; use \`run\` instead.`,
  notDone: (what) => `I did not ${what}.`,
  doing: {
    list: (path) => (path === "." ? "list the workspace" : `list \`${path}\``),
    read: (path) => `read \`${path}\``,
    write: (path) => `write \`${path}\``,
    append: (path) => `append to \`${path}\``,
    edit: (path) => `edit \`${path}\``,
    searchFiles: (text) => `search the files for “${text}”`,
    run: (command) => `run \`${command}\``,
    searchWeb: (query) => `search the web for “${query}”`,
    fetch: (url) => `fetch ${url}`,
    remember: "remember that",
    recall: "search the memory",
    schedule: "schedule that",
    jobs: "look at the jobs",
    spawn: "start a helper",
    skill: (name) => `load the skill \`${name}\``,
  },
};

const chinese: PracticeTexts = {
  footer: "*练习模式：没有连接语言模型。用 `margay onboard` 设置一个。*",
  hello: "你好！我是处于练习模式的 margay：只懂几句固定的话，不是语言模型。输入“帮助”看看我听得懂什么。",
  thanks: "不客气。",
  identity:
    "我是处于**练习模式**的 margay。我不是语言模型：我只认得几种简单的句子，用真正的工具、记忆和定时任务来完成，让你不用密钥也能试用。用 `margay onboard` 或 `margay config set model PROVIDER/MODEL` 连接真正的模型。",
  help: "我是处于**练习模式**的 margay，不是语言模型。我听得懂这样的句子，也可以用“然后”连起来：",
  examples: [
    "列出文件，然后告诉我 README.md 讲了什么",
    "读取 notes.txt",
    "把 买牛奶 写入 todo.txt，然后读取它",
    "在 todo.txt 末尾追加 打电话",
    "把 todo.txt 里的 牛奶 改成 茶",
    "在文件里搜索 TODO",
    "运行 ls -la",
    "上网搜索 长尾虎猫",
    "抓取 https://example.com",
    "记住我喜欢喝茶",
    "你记得关于茶的事吗",
    "每天早上9点提醒我活动一下",
    "派一个助手去列出文件",
  ],
  unknown: (text) =>
    `我没听懂“${text}”。现在是练习模式：我不是语言模型，只懂几句固定的话。输入“帮助”看例子，或者用 \`margay onboard\`、\`margay config set model PROVIDER/MODEL\` 连接真正的模型。`,
  tooMany: (limit) => `一次的请求太多了，我只做了前 ${limit} 个。`,
  listed: (path, count) => `${path === "." ? "工作区" : `\`${path}\` `}里有 ${count} 项：`,
  emptyFolder: (path) => `${path === "." ? "工作区" : `\`${path}\` `}是空的。`,
  more: (count) => `……还有 ${count} 项`,
  contents: (path) => `\`${path}\`：`,
  emptyFile: (path) => `\`${path}\` 是空文件。`,
  cut: (path, lines) => `这是 \`${path}\` 的前 ${lines} 行。`,
  partial: (path) => `\`${path}\` 很长，我只读了开头。`,
  about: (path, lines, words) => `**${path}**（${lines} 行，${words} 字）：`,
  titled: (title) => `标题是“${title}”。`,
  begins: (sentences) => `开头写道：${sentences}`,
  sections: (names) => `章节：${names}。`,
  extract: "（这是摘录，不是总结：练习模式不会思考文章的意思。）",
  noText: "里面没有可以引用的正文。",
  wrote: (path) => `已写入 \`${path}\`。`,
  appended: (path) => `已在 \`${path}\` 末尾加上这一行。`,
  edited: (path) => `已修改 \`${path}\`：`,
  found: (text) => `包含“${text}”的行：`,
  ran: (command, code) => `已运行 \`${command}\`（退出码 ${code}）：`,
  noOutput: "没有输出。",
  web: (query) => `网上搜索“${query}”的结果：`,
  page: (url) => `来自 ${url}：`,
  remembered: (text) => `记住了：${text}`,
  knownAlready: "这个我已经记住了。",
  recalled: (query) => `关于“${query}”，我记得：`,
  recalledNothing: (query) => `关于“${query}”，我什么都不记得。`,
  jobs: "定时任务：",
  noJobs: "没有定时任务。",
  scheduled: (result) => `安排好了。${result}`,
  removed: (id) => `已删除任务 \`${id}\`。`,
  spawned: (result) => `已派出助手。${result}`,
  skill: (name) => `技能 \`${name}\` 的内容：`,
  time: (clock) => `你提问时是 ${clock}。`,
  noTime: "没有人告诉我时间。",
  report: "助手的报告：",
  noTool: (tool, what) => `无法${what}：这里没有 \`${tool}\` 工具。`,
  failed: (what, reason) => `${what}失败了：${reason}`,
  denied: (what, reason) => `没有${what}：${reason}`,
  interrupted: (what, text) => `${what}时被打断，可能已经生效，也可能没有。${text}`,
  tooLarge: (path) => `\`${path}\` 太长，练习模式无法追加；请改用“运行”。`,
  notDone: (what) => `没有${what}。`,
  doing: {
    list: (path) => (path === "." ? "列出工作区" : `列出 \`${path}\``),
    read: (path) => `读取 \`${path}\``,
    write: (path) => `写入 \`${path}\``,
    append: (path) => `追加到 \`${path}\``,
    edit: (path) => `修改 \`${path}\``,
    searchFiles: (text) => `在文件里搜索“${text}”`,
    run: (command) => `运行 \`${command}\``,
    searchWeb: (query) => `上网搜索“${query}”`,
    fetch: (url) => `抓取 ${url}`,
    remember: "记住这件事",
    recall: "搜索记忆",
    schedule: "安排定时任务",
    jobs: "查看定时任务",
    spawn: "派出助手",
    skill: (name) => `加载技能 \`${name}\``,
  },
};

export const PRACTICE_TEXTS: { readonly en: PracticeTexts; readonly "zh-CN": PracticeTexts } = {
  en: english,
  "zh-CN": chinese,
};
