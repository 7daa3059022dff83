/** The Chinese sentences practice mode understands, most particular first. */
import type { Rule } from "./intent.ts";
import { cleanFolder, cleanPath, looksLikePath, unquote, URL_PATTERN } from "./words.ts";

const rule = (source: string, intent: Rule["intent"], swallow?: Rule["swallow"]): Rule => ({
  pattern: new RegExp(`^(?:${source})$`, "isu"),
  intent,
  ...(swallow && { swallow }),
});

type Groups = Readonly<Record<string, string | undefined>>;
// A Chinese sentence has no spaces around a name, so a name ends before the words that may follow one.
const NAME = String.raw`(?:"[^"]+"|“[^”]+”|「[^」]+」|\x60[^\x60]+\x60|[A-Za-z0-9_.@/\\~-]+|[^\s,，。；;：:、"“”「」]+?\.[A-Za-z0-9]{1,8}(?![A-Za-z0-9.])|[^\s,，。；;：:、"“”「」的里中讲说写是有]+)`;
const FILE = String.raw`(?:文件\s*)?(?<path>${NAME})\s*(?:这个)?(?:文件)?`;
const INSIDE = "(?:里面|里|中|下面|下|内)?";

const talk: readonly Rule[] = [
  rule(
    "帮助|(?:你)?(?:会|能|可以)(?:做|干|帮我做)?(?:些)?(?:什么|啥)|(?:怎么|如何)(?:用|使用)(?:你)?|(?:有)?(?:哪些|什么)(?:命令|功能)",
    () => ({ kind: "help" }),
  ),
  rule("(?:你好|您好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好|早安|早|在吗)(?:啊|呀)?(?:margay)?", () => ({
    kind: "hello",
  })),
  rule("(?:谢谢|多谢|感谢|好的?|不错|很好|再见|拜拜|晚安)(?:你|您|了|啦)?", () => ({ kind: "thanks" })),
  rule(
    "你(?:是谁|是什么|叫什么(?:名字)?|是(?:什么|哪个|真的?)(?:模型|人|ai|机器人))|你(?:用的?)?(?:是)?(?:什么|哪个)模型|(?:什么是)?练习模式(?:是什么)?",
    () => ({ kind: "identity" }),
  ),
  rule("(?:现在|今天)?(?:是)?(?:几点(?:了|钟)?|几号|星期几|周几|什么时间|什么日子|什么时候)|现在(?:的)?时间", () => ({
    kind: "time",
  })),
  rule(
    "(?:跟我说|重复(?:一下)?|复述)[:：，,\\s]*(?<text>.+)",
    (g) => ({ kind: "say", text: unquote(g["text"] ?? "") }),
    "unknown",
  ),
];

const background: readonly Rule[] = [
  rule(
    "(?:派|启动|让|叫|开|起|用|安排|新建|创建)(?:一个|一名|个)?(?:后台)?(?:的)?(?:助手|帮手|子代理|小助手|子任务|后台任务|子智能体)(?:去|来|在后台)?[:：，,\\s]*(?<task>.+)|在后台[,，]?(?<later>.+)",
    (g) => ({ kind: "spawn", task: (g["task"] ?? g["later"] ?? "").trim() }),
    "rest",
  ),
  rule(
    "(?:列出|显示|查看|看看|有(?:哪些|什么))(?:一下)?(?:所有|全部|我)?(?:的)?(?:定时任务|提醒|任务|计划任务)",
    () => ({ kind: "list-jobs" }),
  ),
  rule("(?:删除|取消|移除)(?:定时)?(?:任务|提醒)\\s*(?<id>\\S+)", (g) => ({
    kind: "remove-job",
    id: unquote(g["id"] ?? ""),
  })),
  rule(`(?:使用|用|加载)技能\\s*(?<name>\\S+)|(?:使用|用|加载)\\s*(?<named>\\S+?)\\s*技能`, (g) => ({
    kind: "use-skill",
    name: unquote(g["name"] ?? g["named"] ?? ""),
  })),
];

const memory: readonly Rule[] = [
  rule("你(?:都)?(?:还)?记得(?:些)?什么|你(?:都)?记住了什么", () => ({
    kind: "read",
    path: "memory/MEMORY.md",
    about: false,
  })),
  rule(
    "(?:回忆|回想|想想|在记忆(?:里|中)(?:找|搜索|查找)|搜索记忆|你还?记得)(?:一下)?(?:关于)?[:：\\s]*(?<query>.+?)(?:吗|的(?:事|事情|内容))?",
    (g) => ({ kind: "recall", query: memoryWords(g["query"]) }),
  ),
  rule("我(?:的)?(?<query>.+?)(?:是什么|是谁|是多少|是哪里|是哪个|在哪里?|叫什么)", (g) => ({
    kind: "recall",
    query: memoryWords(g["query"]),
  })),
  rule(
    "(?:记住|记下来?|记得|别忘了|记一下)[,，:：\\s]*(?<text>.+)",
    (g) => ({ kind: "remember", text: unquote(g["text"] ?? "") }),
    "rest",
  ),
];

const files: readonly Rule[] = [
  rule(
    `(?:抓取|获取|打开|访问|读取?|下载|浏览|看看|看一下)(?:一下)?(?:网页|网站|页面|网址)?\\s*(?<url>${URL_PATTERN})|(?<bare>${URL_PATTERN})`,
    (g) => ({ kind: "fetch", url: g["url"] ?? g["bare"] ?? "", about: false }),
  ),
  rule(
    `(?:总结|概括|概述|介绍|说说|告诉我)(?:一下)?(?:网页|网站|页面|网址)?\\s*(?<url>${URL_PATTERN})\\s*(?:的内容|讲(?:了)?什么|说(?:了)?什么|写(?:了)?什么)?|(?<lead>${URL_PATTERN})\\s*(?:是)?(?:讲|说|写|关于)(?:的是|了)?什么(?:的)?`,
    (g) => ({ kind: "fetch", url: g["url"] ?? g["lead"] ?? "", about: true }),
  ),
  rule(
    `把\\s*(?<path>${NAME})\\s*${INSIDE}(?:的)?\\s*(?<old>.+?)\\s*(?:改成|换成|替换成|替换为|改为)\\s*(?<new>.+)`,
    edit,
  ),
  rule(
    `把\\s*(?<content>.+?)\\s*(?:追加|添加|加)(?:到|进|在)\\s*${FILE}(?:的)?(?:末尾|后面|最后|结尾|里面|里|中)?`,
    append,
  ),
  rule(
    `(?:在|往|向|给)\\s*${FILE}(?:的)?(?:末尾|后面|最后|结尾|里面|里|中)?\\s*(?:追加|添加|加上|加入|加)(?:一行|上)?[:：\\s]*(?<content>.+)`,
    append,
    "rest",
  ),
  rule(
    `把\\s*(?<content>.+?)\\s*(?:写入|写到|写进|保存到|存到|存入|保存为|存为)\\s*(?:一个)?(?:新)?${FILE}(?:里面|里|中)?`,
    write,
  ),
  rule(
    `(?:新建|创建|写|建)(?:一个|个)?(?:新的?)?(?:文件)?(?:叫|名为)?\\s*(?<path>${NAME})(?:文件)?[,，:：\\s]*(?:内容(?:是|为)|写上|写着|里面写|写)[:：\\s]*(?<content>.+)`,
    write,
    "rest",
  ),
  rule(`(?:在|往|向)\\s*${FILE}${INSIDE}\\s*(?:写入|写上|写)[:：\\s]*(?<content>.+)`, write, "rest"),
  rule(`(?:新建|创建)(?:一个|个)?(?:新的?|空的?)?文件(?:叫|名为)?\\s*(?<path>${NAME})`, write, "unknown"),
  rule(
    `(?:列出|列一下|列|显示|查看|看看|看一下|浏览)(?:一下)?\\s*(?:这里|当前|所有|全部|工作区|工作目录|目录|文件夹|${INSIDE}|的)*\\s*(?:文件|目录|文件列表|目录内容|文件夹|内容)(?:列表|和目录|和文件夹)?|(?:列出|列一下|列|显示|查看)(?:一下)?\\s*(?<path>${NAME})\\s*(?:目录|文件夹)?${INSIDE}(?:的)?(?:所有|全部)?(?:文件|内容)`,
    (g) => list(g),
  ),
  rule(
    `(?:告诉我|看看|看一下)?(?:这里|工作区|当前目录|目录|文件夹|(?<path>${NAME})\\s*(?:目录|文件夹))${INSIDE}(?:都)?有(?:哪些|什么|些什么)(?:文件|东西|内容)?|有(?:哪些|什么)文件`,
    (g) => list(g),
  ),
  rule(
    `(?:告诉我|说说|说一下|讲讲|介绍(?:一下)?|解释(?:一下)?|看看)?\\s*${FILE}\\s*(?:是)?(?:讲|说|写|关于|介绍)(?:的是|的|了)?(?:些)?(?:什么|啥)(?:的|内容)?`,
    about,
  ),
  rule(
    `(?:告诉我|说说)?\\s*${FILE}(?:的)?${INSIDE}(?:的)?(?:主要)?(?:内容)?(?:有|是)(?:些)?(?:什么|啥)(?:内容)?`,
    about,
  ),
  rule(`(?:总结|概括|概述|介绍|摘要|说说|讲讲|解释)(?:一下)?\\s*${FILE}(?:的)?(?:主要)?(?:内容)?`, about),
  rule(`(?:读取|阅读|读|打开|查看|看看|看|显示)(?:一?下)?\\s*${FILE}(?:的)?(?:内容)?`, (g) => ({
    kind: "read",
    path: cleanPath(g["path"]),
    about: false,
  })),
];

const search: readonly Rule[] = [
  rule(
    "(?:上网|在?网上|在?互联网上|联网|用网络)(?:搜索|搜|查找|查询|查|找)(?:一下)?[:：\\s]*(?<query>.+)|(?:搜索|搜|查找|查)(?:一下)?(?:网络|网页|互联网|网上)(?:上)?(?:的)?[:：\\s]*(?<later>.+)|百度(?:一下)?\\s*(?<baidu>.+)",
    (g) => ({ kind: "search-web", query: unquote(g["query"] ?? g["later"] ?? g["baidu"] ?? "") }),
    "unknown",
  ),
  rule(
    "(?:在)?(?:所有|全部)?(?:的)?(?:文件|工作区|代码|笔记|目录)(?:里面|里|中)(?:搜索|搜|查找|找|查)(?:一下)?[:：\\s]*(?<text>.+)|(?:搜索|搜|查找)(?:一下)?(?:文件|工作区|代码|笔记)(?:里面|里|中)?(?:的)?[:：\\s]*(?<later>.+)|哪些文件(?:里面|里|中)?(?:包含|提到|有)(?:了)?\\s*(?<which>.+)|(?:搜索|查找|搜)(?:一下)?\\s*(?<plain>.+)",
    (g) => ({ kind: "search-files", text: unquote(g["text"] ?? g["later"] ?? g["which"] ?? g["plain"] ?? "") }),
    "unknown",
  ),
];

const commands: readonly Rule[] = [
  rule(
    "(?:运行|执行|跑)(?:一下)?(?:命令)?[:：\\s]*(?<command>.+)",
    (g) => ({ kind: "run", command: unquote(g["command"] ?? "") }),
    "unknown",
  ),
];

export const CHINESE: readonly Rule[] = [...talk, ...background, ...memory, ...files, ...search, ...commands];

/** Words in front of a request that change nothing. */
export const CHINESE_COURTESY: RegExp =
  /^(?:请你?|麻烦你?|劳驾|帮我|帮忙|帮|给我|替我|你?能不能|你?可不可以|你?可以|你?能|我想让你|我要你|我想|我要|现在|先|再|并|也|最后|顺便|那么?)[\s,，]*/u;

function write(g: Groups) {
  return { kind: "write", path: cleanPath(g["path"]), content: unquote(g["content"] ?? "") } as const;
}
function append(g: Groups) {
  return looksLikePath(g["path"] ?? "")
    ? ({ kind: "append", path: cleanPath(g["path"]), content: unquote(g["content"] ?? "") } as const)
    : undefined;
}
function edit(g: Groups) {
  if (!looksLikePath(g["path"] ?? "")) return undefined;
  return {
    kind: "edit",
    path: cleanPath(g["path"]),
    oldText: unquote(g["old"] ?? ""),
    newText: unquote(g["new"] ?? ""),
  } as const;
}
function list(g: Groups) {
  return { kind: "list", path: cleanFolder(g["path"]) } as const;
}
function about(g: Groups) {
  const path = g["path"] ?? "";
  if (path.endsWith("/")) return list(g);
  return looksLikePath(path) || path === "它"
    ? ({ kind: "read", path: cleanPath(path), about: true } as const)
    : undefined;
}
function memoryWords(query: string | undefined): string {
  return (
    unquote(query ?? "")
      .replace(/^(?:我的|我|关于)/u, "")
      .replace(/(?:的事情?|的内容|的|吗)$/u, "")
      .trim() || unquote(query ?? "")
  );
}
