// Which sentences practice mode understands, in both languages, and the calls they become.
import { expect, test } from "vitest";
import { ask, clock, request, user } from "./support.ts";

const list = (path = "."): readonly [string, object] => ["list_dir", { path }];
const read = (path: string): readonly [string, object] => ["read_file", { path }];
const run = (command: string): readonly [string, object] => ["exec", { command }];

type Row = readonly [sentence: string, ...calls: (readonly [string, object])[]];
const SENTENCES: readonly Row[] = [
  ["list files", list()],
  ["List the files here.", list()],
  ["please show me all the files in src", list("src")],
  ["what files are here?", list()],
  ["ls", list()],
  ["列出文件", list()],
  ["请列出当前目录的文件", list()],
  ["看看工作区里有什么文件", list()],
  ["src 目录里有什么？", list("src")],
  ["read notes.txt", read("notes.txt")],
  ["Could you read “my notes.txt” for me?", read("my notes.txt")],
  ["show me @src/a.ts", read("src/a.ts")],
  ["cat LICENSE", read("LICENSE")],
  ["read notes.txt, todo.md and plan.md", read("notes.txt"), read("todo.md"), read("plan.md")],
  ["读 notes.txt", read("notes.txt")],
  ["帮我打开一下 notes.txt", read("notes.txt")],
  ["读取 笔记.txt 和 todo.md", read("笔记.txt"), read("todo.md")],
  ["tell me what README.md is about", read("README.md")],
  ["summarize docs/plan.md", read("docs/plan.md")],
  ["what's in README?", read("README")],
  ["README.md 讲了什么", read("README.md")],
  ["告诉我README.md是关于什么的", read("README.md")],
  ["告诉我 说明.md 讲了什么", read("说明.md")],
  ["总结一下 README.md 的内容", read("README.md")],
  ["list the files here and tell me what README.md is about", list(), read("README.md")],
  ["列出这里的文件并告诉我README.md讲了什么", list(), read("README.md")],
  ["hi, list the files", list()],
  ["write hello world to a.txt", ["write_file", { path: "a.txt", content: "hello world" }]],
  ["create a file called x.md with # Plan, and more", ["write_file", { path: "x.md", content: "# Plan, and more" }]],
  ["save `a and b` in notes/c.txt", ["write_file", { path: "notes/c.txt", content: "a and b" }]],
  ["把 你好 写入 a.txt", ["write_file", { path: "a.txt", content: "你好" }]],
  ["新建一个文件 b.txt，内容是 第一行，第二行", ["write_file", { path: "b.txt", content: "第一行，第二行" }]],
  ["append - milk to list.txt", read("list.txt")],
  ["在 list.txt 末尾追加 牛奶", read("list.txt")],
  ["replace foo with bar in a.txt", ["edit_file", { path: "a.txt", old_text: "foo", new_text: "bar" }]],
  ["in a.txt, change red to blue", ["edit_file", { path: "a.txt", old_text: "red", new_text: "blue" }]],
  ["把 a.txt 里的 foo 改成 bar", ["edit_file", { path: "a.txt", old_text: "foo", new_text: "bar" }]],
  ["search files for a.b(c)", ["search_files", { pattern: "a\\.b\\(c\\)" }]],
  ["which files mention margay", ["search_files", { pattern: "margay" }]],
  ["在文件里搜索 待办", ["search_files", { pattern: "待办" }]],
  ["run ls -la", run("ls -la")],
  ["run `cat a && echo done, really`", run("cat a && echo done, really")],
  ["run echo a and b", run("echo a and b")],
  ["run echo one; echo two", run("echo one; echo two")],
  ["git status", run("git status")],
  ["运行 ls -la", run("ls -la")],
  ["执行命令：echo 你好", run("echo 你好")],
  ["search the web for cats and dogs", ["web_search", { query: "cats and dogs" }]],
  ["google weather in Berlin", ["web_search", { query: "weather in Berlin" }]],
  ["上网搜索 长尾虎猫", ["web_search", { query: "长尾虎猫" }]],
  ["fetch https://example.com/a?b=1", ["web_fetch", { url: "https://example.com/a?b=1" }]],
  ["抓取 https://example.com", ["web_fetch", { url: "https://example.com" }]],
  ["remember that I like tea and read poems", ["remember", { text: "I like tea and read poems" }]],
  ["记住我喜欢喝茶，不喜欢咖啡", ["remember", { text: "我喜欢喝茶，不喜欢咖啡" }]],
  ["what do you remember about tea?", ["recall", { query: "tea" }]],
  ["what is my favourite color?", ["recall", { query: "favourite color" }]],
  ["你记得关于茶的事吗", ["recall", { query: "茶" }]],
  [
    "every day at 9 remind me to stretch",
    ["cron", { action: "add", message: "Reminder: stretch", mode: "deliver", cron_expr: "0 9 * * *" }],
  ],
  [
    "remind me to drink water every weekday at 9:30 pm",
    ["cron", { action: "add", message: "Reminder: drink water", mode: "deliver", cron_expr: "30 21 * * 1-5" }],
  ],
  ["every day at 9 list the files", ["cron", { action: "add", message: "list the files", cron_expr: "0 9 * * *" }]],
  ["每天早上9点列出文件", ["cron", { action: "add", message: "列出文件", cron_expr: "0 9 * * *" }]],
  ["every 5 minutes list the files", ["cron", { action: "add", message: "list the files", every_seconds: 300 }]],
  [
    "in 10 minutes remind me to call Bob",
    ["cron", { action: "add", message: "Reminder: call Bob", mode: "deliver", at: "2026-11-22T00:05" }],
  ],
  [
    "remind me at 17:30 to go home",
    ["cron", { action: "add", message: "Reminder: go home", mode: "deliver", at: "2026-11-22T17:30" }],
  ],
  [
    "每天早上9点提醒我喝水",
    ["cron", { action: "add", message: "提醒：喝水", mode: "deliver", cron_expr: "0 9 * * *" }],
  ],
  [
    "每周一下午三点半提醒我开会",
    ["cron", { action: "add", message: "提醒：开会", mode: "deliver", cron_expr: "30 15 * * 1" }],
  ],
  ["5分钟后提醒我关火", ["cron", { action: "add", message: "提醒：关火", mode: "deliver", at: "2026-11-22T00:00" }]],
  [
    "remind me at 17:30 to stretch and drink; list the files",
    ["cron", { action: "add", message: "Reminder: stretch and drink", mode: "deliver", at: "2026-11-22T17:30" }],
  ],
  ["show my reminders", ["cron", { action: "list" }]],
  ["spawn a helper to list the files and then read a.txt", ["spawn", { task: "list the files and then read a.txt" }]],
  ["派一个助手去列出文件", ["spawn", { task: "列出文件" }]],
];

test.each(SENTENCES.map(([sentence, ...calls]) => ({ sentence, calls })))(
  "practice mode understands: $sentence",
  async ({ sentence, calls }) => {
    const reply = await ask(request([clock("2026-11-21T23:55+01:00 Saturday"), user(sentence)]));
    expect(reply.calls.map((call) => [call.name, call.input])).toEqual(calls);
  },
);

const NO_CALLS: readonly (readonly [string, RegExp])[] = [
  ["help", /practice mode.*list the files here/s],
  ["你能做什么？", /练习模式.*列出文件/s],
  ["hello", /practice mode/],
  ["你好", /练习模式/],
  ["who are you?", /not a language model/],
  ["你是什么模型", /不是语言模型/],
  ["what time is it?", /2026-11-21 23:55/],
  ["现在几点了", /2026-11-21 23:55/],
  ["why is the sky blue?", /did not understand “why is the sky blue\?”.*margay onboard.*margay config set model/s],
  ["天为什么是蓝的？", /没听懂“天为什么是蓝的”.*margay onboard/s],
  ["run the tests", /did not understand/],
  ["every minute counts", /did not understand/],
  ["at 9 items", /did not understand/],
  ["in 5 minutes I am home", /did not understand/],
  ["every day I drink tea", /did not understand/],
  ["过5分钟就好", /没听懂/],
  ["每天我都喝茶", /没听懂/],
  ["read my mind please", /did not understand/],
  ["", /practice mode/],
  ["🙂", /practice mode/],
];

test.each(NO_CALLS)("CF3 practice mode answers without tools and says what it is: %s", async (sentence, expected) => {
  const reply = await ask(request([clock("2026-11-21T23:55+01:00 Saturday"), user(sentence)]));
  expect(reply.calls).toEqual([]);
  expect(reply.text).toMatch(expected);
});
