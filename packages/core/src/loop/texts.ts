/** What the runtime itself says to people, in both languages. Texts for the model are elsewhere, in English. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ErrorInfo } from "../contract/record.ts";

type Language = AgentSettings["language"];
type Sentence = Readonly<Record<Language, string>>;

/** Exact texts. */
export function limitNotice(language: Language, limit: number): string {
  return language === "zh-CN" ? `[达到最大工具调用次数 ${limit}]` : `[reached the maximum of ${limit} tool calls]`;
}

/** In place of an address that the model made up after it had read what strangers wrote. */
export function withheldLink(language: Language, host: string): string {
  return language === "zh-CN"
    ? `[指向 ${host} 的链接已隐去：它由不可信内容拼成]`
    : `[link to ${host} withheld: it was put together from untrusted content]`;
}

/** One sentence what failed, one what to do, the code in brackets; no stack, no key, no raw body. */
export function errorText(language: Language, error: ErrorInfo): string {
  const sentence = FAILURES[error.code] ?? FAILURES["internal.bug"];
  const text = (sentence?.[language] ?? error.message)
    .replace("{name}", () => detail(error, "name"))
    .replace("{model}", () => detail(error, "model"))
    .replace("{seconds}", () => String(Math.round(Number(detail(error, "afterMs")) / 1000)))
    .replace("{fault}", () => faultIn(language, detail(error, "fault")));
  return `${text} [${error.code}]`;
}

/** What the person has to set, what was asked: as far as the error says so. */
function detail({ details }: ErrorInfo, name: string): string {
  const value = typeof details === "object" && details !== null && name in details ? Reflect.get(details, name) : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The first half of the sentence for another failure: what happened, in brackets. */
function faultIn(language: Language, code: string): string {
  const [what] = (FAILURES[code]?.[language] ?? "").split(language === "zh-CN" ? "。" : ". ");
  if (what === undefined || what === "") return "";
  return language === "zh-CN" ? `（最近一次失败：${what}）` : ` (last fault: ${what})`;
}

/** While a person waits for the first words. */
export function stillWaiting(language: Language): string {
  return language === "zh-CN"
    ? "模型尚未回应，仍在等待。用 /stop 可停止。"
    : "No answer from the model yet; still waiting. /stop ends it.";
}

export function approvalPrompt(language: Language, tool: string, prompt: string, code: string): string {
  return language === "zh-CN"
    ? `需要批准：${tool}\n${prompt}\n回复 /allow ${code} 批准，或 /deny ${code} 拒绝。`
    : `Approval needed: ${tool}\n${prompt}\nReply /allow ${code} to approve or /deny ${code} to refuse.`;
}

/** When a guest writes for the first time in a chat of the operator, or an operator where a guest was. */
export function otherReaders(language: Language): string {
  return language === "zh-CN"
    ? "这个聊天现在由另一些人阅读，此前的内容已不在上下文中。"
    : "Somebody else reads this chat now: what was said before is no longer in its context.";
}

/** In place of a further turn that nobody asked for. */
export function resultsText(language: Language, results: readonly string[]): string {
  const count = results.length;
  const end =
    language === "zh-CN"
      ? `${count} 个结果。回复后我会继续。`
      : `${count} result${count === 1 ? "" : "s"}; answer to go on.`;
  return [...results, end].join("\n\n");
}

/** Appended to a text that broke off. */
export function cutMark(language: Language): string {
  return language === "zh-CN" ? "[回答在此处中断]" : "[the answer broke off here]";
}

export function lateMark(language: Language, at: string): string {
  return language === "zh-CN" ? `[写于 ${at}]` : `[written at ${at}]`;
}

const FAILURES: Readonly<Record<string, Sentence>> = {
  "internal.bug": {
    en: "Something went wrong inside margay. Look at the log, then try again.",
    "zh-CN": "margay 内部出错。请查看日志后重试。",
  },
  "model.empty": {
    en: "The model gave no answer, although it was asked three times. Ask in other words, or choose another model.",
    "zh-CN": "模型连续三次没有给出回答。请换一种问法，或更换模型。",
  },
  "model.refused": { en: "The model refused to answer. Ask differently.", "zh-CN": "模型拒绝回答。请换一种问法。" },
  "model.attempts": {
    en: "The model could not be reached in several attempts. Send the message again later.",
    "zh-CN": "多次尝试后仍无法得到模型的回答。请稍后重新发送。",
  },
  "budget.exhausted": {
    en: "The budget for model use is used up. Wait for the period to end, or raise it in the settings.",
    "zh-CN": "模型用量预算已用完。请等待下个周期，或在设置中提高预算。",
  },
  "provider.auth": {
    en: "The model provider refused the key. Set a valid key.",
    "zh-CN": "模型服务商拒绝了密钥。请设置有效的密钥。",
  },
  "provider.no-key": {
    en: "There is no key for the model provider. Set {name}, or choose another model.",
    "zh-CN": "没有模型服务商的密钥。请设置 {name}，或更换模型。",
  },
  "provider.quota": {
    en: "The account at the model provider is out of credit. Top it up, or use another provider.",
    "zh-CN": "模型服务商账户额度不足。请充值，或更换服务商。",
  },
  "provider.rate-limited": {
    en: "The model provider is limiting requests. Try again in a while.",
    "zh-CN": "模型服务商正在限流。请稍后再试。",
  },
  "provider.overloaded": {
    en: "The model provider is overloaded or out of order. Try again in a while.",
    "zh-CN": "模型服务商过载或故障。请稍后再试。",
  },
  "provider.timeout": {
    en: "The model did not answer in time. Try again, or raise the time limit.",
    "zh-CN": "模型没有及时回答。请重试，或提高时限。",
  },
  "provider.silent": {
    en: "{model} said nothing for {seconds} seconds{fault}. Choose another model with /model, send the message again, or raise agent.firstTextSeconds.",
    "zh-CN":
      "{model} 在 {seconds} 秒内没有回应{fault}。请用 /model 换一个模型，重新发送消息，或提高 agent.firstTextSeconds。",
  },
  "provider.connection": {
    en: "The model provider could not be reached. Check the network and the base URL.",
    "zh-CN": "无法连接模型服务商。请检查网络和接口地址。",
  },
  "provider.truncated": {
    en: "The connection to the model broke off. Send the message again.",
    "zh-CN": "与模型的连接中断。请重新发送。",
  },
  "provider.malformed": {
    en: "The model provider sent something unreadable. Check the base URL and the API kind.",
    "zh-CN": "模型服务商返回了无法识别的内容。请检查接口地址和类型。",
  },
  "provider.bad-request": {
    en: "The model provider rejected the request. Look at the log for its reason.",
    "zh-CN": "模型服务商拒绝了请求。请在日志中查看原因。",
  },
  "provider.not-found": {
    en: "The model provider does not know this model or address. Check the model name.",
    "zh-CN": "模型服务商不认识该模型或地址。请检查模型名称。",
  },
  "provider.context-length": {
    en: "The conversation no longer fits the model. Start afresh with /new.",
    "zh-CN": "对话超出模型的上下文长度。请用 /new 重新开始。",
  },
  "provider.media-rejected": {
    en: "The model provider rejected an image. Send it smaller or in another format.",
    "zh-CN": "模型服务商拒绝了图片。请缩小或换一种格式。",
  },
  "provider.unknown": {
    en: "The configured model is not known. Choose one that `margay models list` shows.",
    "zh-CN": "未知的模型。请从 `margay models list` 中选择。",
  },
  "plugin.missing": {
    en: "The plugin for this model is not installed. `margay plugin list` names it, `margay plugin add` installs it.",
    "zh-CN": "该模型所需的插件尚未安装。`margay plugin list` 可查看，`margay plugin add` 可安装。",
  },
  "plugin.invalid": {
    en: "The plugin for this model cannot be loaded. Install it again with `margay plugin add`.",
    "zh-CN": "无法加载该模型所需的插件。请用 `margay plugin add` 重新安装。",
  },
};

/** For who writes while as many messages wait as may. */
export function fullAnswer(waiting: number, language: "en" | "zh-CN"): string {
  return language === "zh-CN"
    ? `已有 ${waiting} 条消息在等待，这一条没有收下。请等到有回答之后再发送，或发送 /stop。`
    : `${waiting} messages are waiting already; this one was not taken. Send it again after an answer, or send /stop.`;
}

/** For who writes while the emergency stop is on. */
export function stoppedAnswer(language: "en" | "zh-CN"): string {
  return language === "zh-CN"
    ? "管理员已停止全部工作。请在恢复之后再发送。"
    : "An operator has stopped everything. Please write again when it goes on.";
}
