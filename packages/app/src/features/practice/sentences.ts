/** The sentences practice mode understands, in both languages, and the tool calls they become. Pure. */
import type { JsonObject } from "@margay/core";

/** What can be asked for; also the last part of the keys of its texts. */
export type Deed = "list" | "read" | "about" | "run" | "web" | "remember" | "remind" | "spawn";

/** One thing a message asks for. */
export type Request =
  | {
      readonly kind: "call";
      readonly deed: Deed;
      /** What it is about, as the answer names it: a path, a command, a question. */
      readonly subject: string;
      readonly tool: string;
      readonly input: JsonObject;
      /** It follows a "then": what stands before it has to be finished. */
      readonly after: boolean;
    }
  | { readonly kind: "help" | "hello" }
  | { readonly kind: "unknown"; readonly text: string };

type Groups = Readonly<Record<string, string | undefined>>;
interface Sentence {
  readonly patterns: readonly [english: RegExp, chinese: RegExp];
  readonly tool: string;
  /** @returns undefined when the words fit but the sense does not. */
  readonly input: (subject: string, groups: Groups) => JsonObject | undefined;
}

/** Pasted text is long and full of commas: it is not searched for sentences. */
const MAX_CHARS = 4000;
/** Places where a message is tried to be cut, for each request in it. */
const MAX_JOINTS = 4;
/** Requests of one message; the rest is said to be not understood. */
const MAX_REQUESTS = 8;

const sentence = (source: string): RegExp => new RegExp(`^(?:${source})$`, "isu");

/** In quotation marks, or a word that can only be a file: it has a dot or a slash in it, or a name everybody knows. */
const FILE = String.raw`@?(?<subject>"[^"]+"|\x60[^\x60]+\x60|“[^”]+”|「[^」]+」|[^\s,，。；;：:“”「」]*[./][^\s,，。；;：:“”「」]*|readme|license|changelog|makefile)`;
const REST = String.raw`[\s:：,，]*(?<subject>\S.*)`;
const TIME = String.raw`(?<hour>\d{1,2})(?:[:.](?<minute>\d\d))?\s*(?<half>am|pm)?`;
const ZH_TIME = "(?<half>早上|上午|中午|下午|晚上)?(?<hour>\\d{1,2})(?:点|[:：])(?<minute>半|\\d\\d)?分?";

const SENTENCES: Readonly<Record<Deed, Sentence>> = {
  list: {
    patterns: [
      sentence(`(?:list|show)(?: me)?(?: all)?(?: the| my)? files(?: here| in (?:the folder )?(?<subject>\\S+))?`),
      sentence(
        `列出(?:一下)?\\s*(?:这里|当前目录|工作区|(?<subject>[\\w./-]+)\\s*(?:目录|文件夹)?)?[里中]?的?(?:所有|全部)?文件`,
      ),
    ],
    tool: "list_dir",
    input: (path) => ({ path: path || "." }),
  },
  read: {
    patterns: [
      sentence(`(?:read|show|open)(?: me)?(?: the file)? ${FILE}`),
      sentence(`(?:读取?|打开|看看)(?:一下)?(?:文件)?\\s*${FILE}`),
    ],
    tool: "read_file",
    input: (path) => ({ path }),
  },
  about: {
    patterns: [
      sentence(`(?:tell me )?what ${FILE} is about|what is ${FILE} about`),
      sentence(`(?:告诉我)?\\s*(?!.*(?:并|然后))${FILE}\\s*(?:讲|说|写)了?(?:的是)?什么`),
    ],
    tool: "read_file",
    input: (path) => ({ path }),
  },
  run: {
    patterns: [
      // "run the tests" names no command: guessing one is not practice mode's business.
      sentence(`run(?: the command)?:? (?!(?:the|a|an|my|your|all|it|that)\\b)(?<subject>.+)`),
      sentence(`(?:运行|执行)(?:命令)?${REST}`),
    ],
    tool: "exec",
    input: (command) => ({ command }),
  },
  web: {
    patterns: [
      sentence(`search the (?:web|internet) for${REST}`),
      sentence(`(?:上网|在网上)(?:搜索|搜|查)(?:一下)?${REST}`),
    ],
    tool: "web_search",
    input: (query) => ({ query }),
  },
  remember: {
    patterns: [sentence(`remember(?: that)?${REST}`), sentence(`记住${REST}`)],
    tool: "remember",
    input: (text) => ({ text }),
  },
  remind: {
    patterns: [
      sentence(`every (?<day>day|weekday)(?: at ${TIME})?,? remind me(?: to| that| of)?${REST}`),
      sentence(`每(?:天|个?(?<day>工作日))的?(?:${ZH_TIME})?提醒我${REST}`),
    ],
    tool: "cron",
    input(message, { day, hour, minute, half }) {
      const late = /pm|下午|晚上/i.test(half ?? "") && Number(hour) < 12;
      const at = Number(hour ?? 9) + (late ? 12 : 0);
      const past = minute === "半" ? 30 : Number(minute ?? 0);
      if (at > 23 || past > 59) return undefined;
      const days = /weekday|工作日/i.test(day ?? "") ? "1-5" : "*";
      return { action: "add", message, mode: "deliver", cron_expr: `${past} ${at} * * ${days}` };
    },
  },
  spawn: {
    patterns: [
      sentence(`(?:spawn|start) a (?:background )?helper to${REST}`),
      sentence(`派一?个?(?:后台)?助手去?${REST}`),
    ],
    tool: "spawn",
    input: (task) => ({ task }),
  },
};

const TALK = {
  help: sentence("help|\\?|what can you do|帮助|你(?:会|能)(?:做|干)(?:些)?什么"),
  hello: sentence("(?:hi|hello|hey)(?: there| margay)?|(?:who|what) are you|[你您]好|你是(?:谁|什么|什么模型)"),
} as const;

const COURTESY =
  /^(?:(?:please|hi|hello|hey|margay|(?:can|could|would) you|you could|also|and|请|帮我|麻烦你?|你好)[\s,:，]+|请|帮我|麻烦你?)/iu;
const JOINT =
  /[,;.，；。]?\s*(?:\b(?:and\s+)?(?<then>then)\b|(?<zhThen>然后)再?)[\s,，]*|\s*(?<line>\n)\s*|\s*,\s*(?:and\s+)?|\s+and\s+|\s*[;；，、。]\s*|并且?/giu;

/** @returns in order; what is joined to a command, a memory, a reminder or a helper's task is part of it. */
export function understand(message: string): readonly Request[] {
  const requests: Request[] = [];
  let rest = message.trim();
  let after = false;
  while (rest !== "") {
    const request = requests.length < MAX_REQUESTS ? read(rest, after) : undefined;
    if (request) {
      requests.push(request);
      break;
    }
    const cut: Cut | undefined = requests.length < MAX_REQUESTS ? firstOf(rest, after) : undefined;
    requests.push(cut?.request ?? { kind: "unknown", text: rest });
    rest = cut?.rest ?? "";
    after = cut?.isThen ?? false;
  }
  // A greeting in front of a request is manners, not a request.
  return requests.length > 1 ? requests.filter((request) => request.kind !== "hello") : requests;
}

interface Cut {
  readonly request: Request;
  readonly rest: string;
  /** The rest follows a "then". */
  readonly isThen: boolean;
}

/** The first request of several, up to a joint. */
function firstOf(text: string, after: boolean): Cut | undefined {
  for (const joint of [...text.slice(0, MAX_CHARS).matchAll(JOINT)].slice(0, MAX_JOINTS)) {
    const request = read(text.slice(0, joint.index), after);
    if (!request) continue;
    const { then, zhThen, line } = joint.groups ?? {};
    const rest = text.slice(joint.index + joint[0].length).trim();
    return { request, rest, isThen: (then ?? zhThen ?? line) !== undefined };
  }
  return undefined;
}

function read(typed: string, after: boolean): Request | undefined {
  if (typed.length > MAX_CHARS) return undefined;
  const text = plain(typed);
  for (const kind of ["help", "hello"] as const) if (TALK[kind].test(text)) return { kind };
  for (const [deed, { patterns, tool, input }] of Object.entries(SENTENCES) as [Deed, Sentence][])
    for (const pattern of patterns) {
      const groups = pattern.exec(text)?.groups;
      const subject = unquoted(groups?.["subject"] ?? "");
      const made = groups && input(subject, groups);
      if (made) return { kind: "call", deed, subject: subject || ".", tool, input: made, after };
    }
  return undefined;
}

/** Without what is only polite, and without the mark at its end. */
function plain(typed: string): string {
  const text = typed.trim().replace(/(?<=\S)[\s.!?。！？]+$/u, "");
  const shorter = text.replace(COURTESY, "").replace(/(?: please| for me|吗|吧)$/iu, "");
  return shorter === text || shorter === "" ? text : plain(shorter);
}

function unquoted(text: string): string {
  return /^(?:"(.+)"|`(.+)`|“(.+)”|「(.+)」)$/su.exec(text)?.slice(1).find(Boolean) ?? text;
}
