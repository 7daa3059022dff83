/** Texts of the first set-up. */
import { asTyped } from "../../texts/command.ts";
import { fill, type Language, type Text, type Values } from "../../texts/text.ts";

export const ONBOARD_TEXTS = {
  welcome: { en: "Welcome to margay", "zh-CN": "欢迎使用 margay" },
  language: { en: "Language / 语言", "zh-CN": "语言 / Language" },
  model: { en: "Which model shall answer?", "zh-CN": "用哪个模型来回答？" },
  modelNone: {
    en: "No model was found on this machine. How shall margay answer?",
    "zh-CN": "在这台机器上没有找到模型。margay 该怎样回答？",
  },
  keep: { en: "{model} (as now)", "zh-CN": "{model}（保持不变）" },
  practice: { en: "Practice mode", "zh-CN": "练习模式" },
  practiceHint: {
    en: "no language model: a few fixed sentences, everything else is real",
    "zh-CN": "没有语言模型：只懂几句固定的话，其余都是真的",
  },
  paste: { en: "Paste a key…", "zh-CN": "粘贴密钥……" },
  other: { en: "Type a model as provider/model…", "zh-CN": "输入 provider/model……" },
  fromKey: { en: "key in {name}", "zh-CN": "密钥在 {name}" },
  fromServer: { en: "running at {url}", "zh-CN": "运行于 {url}" },
  vendor: { en: "Whose key is it?", "zh-CN": "是哪一家的密钥？" },
  key: {
    en: "Key of {vendor} (kept in a file only you can read)",
    "zh-CN": "{vendor} 的密钥（存入只有您能读取的文件）",
  },
  keyEmpty: { en: "A key is needed, or Ctrl+C to cancel.", "zh-CN": "请输入密钥，或按 Ctrl+C 取消。" },
  modelName: { en: "Model, as provider/model", "zh-CN": "模型，写作 provider/model" },
  modelShape: {
    en: "Write it as provider/model, for example ollama/qwen3.",
    "zh-CN": "请写作 provider/model，例如 ollama/qwen3。",
  },
  workspace: { en: "Workspace: the only folder margay works in", "zh-CN": "工作区：margay 只在这个文件夹里工作" },
  workspaceEmpty: { en: "Name a folder.", "zh-CN": "请输入文件夹。" },
  looking: { en: "Looking for models…", "zh-CN": "正在寻找模型……" },
  changes: { en: "{path} exists. It would change:", "zh-CN": "{path} 已存在，将会改动：" },
  change: { en: "{key}: {from} → {to}", "zh-CN": "{key}：{from} → {to}" },
  unset: { en: "not set", "zh-CN": "未设置" },
  secret: { en: "a key", "zh-CN": "密钥" },
  confirm: { en: "Write these changes?", "zh-CN": "写入这些改动吗？" },
  saved: { en: "Saved in {path} (readable by you alone).", "zh-CN": "已保存到 {path}（只有您能读取）。" },
  same: { en: "{path} already says all that. Nothing was written.", "zh-CN": "{path} 已是如此，没有写入。" },
  budgets: {
    en: "A day may use 2,000,000 tokens, and jobs and whatever else nobody asked for 1,000,000 of them. To lift that: `margay config set budgets '[]'`, or the Budgets of the page under Usage.",
    "zh-CN":
      "每天最多使用 2,000,000 个词元，其中定时任务等无人要求的部分最多 1,000,000。取消上限：`margay config set budgets '[]'`，或在网页“用量”的“预算”中修改。",
  },
  kept: { en: "Nothing was written.", "zh-CN": "没有写入任何内容。" },
  keyInEnvironment: {
    en: "The key stays in {name}: a background service needs that variable too.",
    "zh-CN": "密钥仍在 {name} 中：后台服务也需要这个变量。",
  },
  next: {
    en: "Next: `margay` to chat, `margay gateway --open` for the web page, `margay doctor` to check everything, `margay channels list` to see how else it can be reached.",
    "zh-CN":
      "接下来：`margay` 聊天，`margay gateway --open` 打开网页，`margay doctor` 检查一切，`margay channels list` 查看其他接入方式。",
  },
  nextPractice: {
    en: "margay answers in practice mode until a model is connected: run `margay onboard` again whenever you have one.",
    "zh-CN": "在连接模型之前，margay 以练习模式回答；有了模型后再运行 `margay onboard`。",
  },
  noTerminal: {
    en: "onboard asks questions and needs a terminal. Run it in one, or with --yes to take what is found.",
    "zh-CN": "onboard 需要在终端里提问。请在终端中运行，或用 --yes 采用找到的设置。",
  },
} as const;

export type OnboardTextKey = keyof typeof ONBOARD_TEXTS;
export type OnboardTexts = (key: OnboardTextKey, values?: Values) => string;

/** @param command What the person types for `margay`. */
export function onboardTexts(language: Language, command = "margay"): OnboardTexts {
  const texts: Readonly<Record<OnboardTextKey, Text>> = ONBOARD_TEXTS;
  return (key, values) => asTyped(fill(texts[key][language], values), command);
}
