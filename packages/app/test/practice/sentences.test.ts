// Which sentences practice mode understands, in both languages, and the calls they become: those of the README and of the
// command line's description, as people vary them.
import { expect, test } from "vitest";
import { ask, request, user } from "./support.ts";

const list = (path = "."): readonly [string, object] => ["list_dir", { path }];
const read = (path: string): readonly [string, object] => ["read_file", { path }];
const run = (command: string): readonly [string, object] => ["exec", { command }];
const remind = (message: string, expression: string): readonly [string, object] => [
  "cron",
  { action: "add", message, mode: "deliver", cron_expr: expression },
];

type Row = readonly [sentence: string, ...calls: (readonly [string, object])[]];
const SENTENCES: readonly Row[] = [
  ["list files", list()],
  ["list the files here", list()],
  ["List the files here.", list()],
  ["please show me all the files in src", list("src")],
  ["列出文件", list()],
  ["请列出当前目录的文件", list()],
  ["列出 src 目录里的文件", list("src")],
  ["read notes.txt", read("notes.txt")],
  ["read package.json\n", read("package.json")],
  ["Could you read “my notes.txt” for me?", read("my notes.txt")],
  ["show me @src/a.ts", read("src/a.ts")],
  ["open LICENSE", read("LICENSE")],
  ["读 notes.txt", read("notes.txt")],
  ["帮我打开一下 笔记.txt", read("笔记.txt")],
  ["tell me what README.md is about", read("README.md")],
  ["what is README about?", read("README")],
  ["README.md 讲了什么", read("README.md")],
  ["告诉我 说明.md 讲了什么", read("说明.md")],
  ["list the files here and tell me what README.md is about", list(), read("README.md")],
  ["列出这里的文件并告诉我README.md讲了什么", list(), read("README.md")],
  ["hi, list the files", list()],
  ["run ls -la", run("ls -la")],
  ["run `cat a && echo done, really`", run("cat a && echo done, really")],
  ["run echo a and b; then echo c", run("echo a and b; then echo c")],
  ["运行 ls -la", run("ls -la")],
  ["执行命令：echo 你好", run("echo 你好")],
  ["search the web for cats and dogs", ["web_search", { query: "cats and dogs" }]],
  ["上网搜索 长尾虎猫", ["web_search", { query: "长尾虎猫" }]],
  ["remember that I like tea and read poems", ["remember", { text: "I like tea and read poems" }]],
  ["记住我喜欢喝茶，不喜欢咖啡", ["remember", { text: "我喜欢喝茶，不喜欢咖啡" }]],
  ["every day at 9 remind me to stretch", remind("Reminder: stretch", "0 9 * * *")],
  ["every weekday at 9:30 pm remind me to drink, then sleep", remind("Reminder: drink, then sleep", "30 21 * * 1-5")],
  ["每天早上9点提醒我喝水", remind("提醒：喝水", "0 9 * * *")],
  ["每个工作日下午3点半提醒我开会", remind("提醒：开会", "30 15 * * 1-5")],
  ["spawn a helper to list the files and then read a.txt", ["spawn", { task: "list the files and then read a.txt" }]],
  ["派一个助手去列出文件", ["spawn", { task: "列出文件" }]],
];

test.each(SENTENCES.map(([sentence, ...calls]) => ({ sentence, calls })))(
  "practice mode understands: $sentence",
  async ({ sentence, calls }) => {
    const reply = await ask(request([user(sentence)]));
    expect(reply.calls.map((call) => [call.name, call.input])).toEqual(calls);
  },
);

const NO_CALLS: readonly (readonly [string, RegExp])[] = [
  ["help", /practice mode.*list the files here/s],
  ["你能做什么？", /练习模式.*列出文件/s],
  ["hello", /practice mode/],
  ["你好", /练习模式/],
  ["who are you?", /instead of a language model/],
  ["你是什么模型", /不是语言模型/],
  ["why is the sky blue?", /did not understand “why is the sky blue\?”.*margay onboard.*margay config set model/s],
  ["天为什么是蓝的？", /没听懂“天为什么是蓝的？”.*margay onboard/s],
  ["run the tests", /did not understand/],
  ["read my mind please", /did not understand/],
  ["every day I drink tea", /did not understand/],
  ["every day at 25 remind me to sleep", /did not understand/],
  ["every day at 9:75 remind me to sleep", /did not understand/],
  ["每天我都喝茶", /没听懂/],
  ["", /practice mode/],
  ["🙂", /practice mode/],
];

test.each(NO_CALLS)("CF3 practice mode answers without tools and says what it is: %s", async (sentence, expected) => {
  const reply = await ask(request([user(sentence)]));
  expect(reply.calls).toEqual([]);
  expect(reply.text).toMatch(expected);
});

test.each([
  ["help", "en"],
  ["帮助", "zh-CN"],
])("every sentence that %s names is understood", async (asked) => {
  const named = (await ask(request([user(asked)]))).text.split("\n").filter((line) => line.startsWith("- "));
  expect(named.length).toBeGreaterThan(5);
  for (const line of named) expect((await ask(request([user(line.slice(2))]))).calls, line).not.toEqual([]);
});
