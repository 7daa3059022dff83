import type { Texts } from "@margay/core/internal";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  footer: "*练习模式：没有连接语言模型。用 `margay onboard` 设置一个。*",
  hello: "你好！我是处于练习模式的 margay：只懂几句固定的话，不是语言模型。输入“帮助”看看我听得懂什么。",
  help: `我是处于**练习模式**的 margay，不是语言模型。我听得懂这样的句子，也可以用“然后”连起来，并用真正的工具来完成：

- 列出文件，然后告诉我 README.md 讲了什么
- 读取 notes.txt
- 运行 ls -la
- 上网搜索 长尾虎猫
- 记住我喜欢喝茶
- 每天早上9点提醒我活动一下
- 派一个助手去列出文件

用 \`margay onboard\` 或 \`margay config set model PROVIDER/MODEL\` 连接真正的模型。`,
  unknown:
    "我没听懂“{text}”。现在是练习模式：我不是语言模型，只懂几句固定的话。输入“帮助”看例子，或者用 `margay onboard`、`margay config set model PROVIDER/MODEL` 连接真正的模型。",
  report: "助手的报告：",
  reminder: "提醒：{text}",
  cut: "这是开头；后面的内容太长，练习模式不再显示。",
  extract: "**{subject}** 开头写道：{text}\n\n（这是摘录，不是总结：练习模式不会思考文章的意思。）",
  log: "（练习模式：摘录，不是总结）{text}",
  noTool: "无法{doing}：这里没有 `{tool}` 工具。",
  notDone: "没有{doing}。",
  error: "{doing}失败了：",
  denied: "没有{doing}：",
  interrupted: "{doing}时被打断，可能已经生效，也可能没有：",
  "ok.list": "`{subject}` 里的文件：",
  "ok.read": "`{subject}`：",
  "ok.run": "已运行 `{subject}`：",
  "ok.web": "网上搜索“{subject}”的结果：",
  "ok.remember": "记住了：{subject}",
  "ok.remind": "安排好了：",
  "ok.spawn": "已派出助手：",
  "doing.list": "列出 `{subject}` 里的文件",
  "doing.read": "读取 `{subject}`",
  "doing.about": "读取 `{subject}`",
  "doing.run": "运行 `{subject}`",
  "doing.web": "上网搜索“{subject}”",
  "doing.remember": "记住“{subject}”",
  "doing.remind": "安排“{subject}”",
  "doing.spawn": "派助手去{subject}",
};
