/** The English sentences practice mode understands, most particular first. */
import type { Rule } from "./intent.ts";
import { cleanFolder, cleanPath, looksLikePath, PATH, unquote, URL_PATTERN } from "./words.ts";

const rule = (source: string, intent: Rule["intent"], swallow?: Rule["swallow"]): Rule => ({
  pattern: new RegExp(`^(?:${source})$`, "isu"),
  intent,
  ...(swallow && { swallow }),
});

const FILE = `(?:the )?(?:file )?(?:called |named )?(?<path>${PATH})(?: file)?`;
const HERE = String.raw`(?: (?:here|there|in here))?(?: (?:in|of|under|inside|from) (?<path>.+))?`;

const talk: readonly Rule[] = [
  rule(
    String.raw`(?:help|\?|commands|examples|what can (?:you|i) (?:do|say|ask)(?: for me)?|what do you (?:understand|know how to do)|how does this work)`,
    () => ({ kind: "help" }),
  ),
  rule("(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))(?: there| margay| again)?", () => ({
    kind: "hello",
  })),
  rule(
    "(?:thanks|thank you|thx|ok|okay|great|nice|cool|well done|bye|goodbye|good night)(?: a lot| so much| very much| margay)?",
    () => ({ kind: "thanks" }),
  ),
  rule(
    "(?:who|what) are you|what(?: kind of| sort of)? (?:model|ai|bot|program)(?: are you| is this| do you use)|are you (?:an? )?(?:real )?(?:ai|llm|language model|model|human|bot|chatgpt|claude|gpt)|what is (?:this|practice mode)|tell me about yourself",
    () => ({ kind: "identity" }),
  ),
  rule(
    "what(?:'s| is)? (?:the )?(?:current )?(?:time|date|day)(?: is it)?(?: now| today)?|what day is (?:it|today)",
    () => ({ kind: "time" }),
  ),
  rule(
    "(?:say|repeat|echo)(?: after me)?:? (?<text>.+)",
    (g) => ({ kind: "say", text: unquote(g["text"] ?? "") }),
    "unknown",
  ),
];

const background: readonly Rule[] = [
  rule(
    String.raw`(?:please )?(?:spawn|start|launch|run|use|create|have|let|ask|send)(?: a| an| the| your)?(?: new)?(?: background)? (?:helper|sub-?agent|agent|worker|background task)(?: in the background)?(?: and have it| that (?:will )?| which (?:will )?| to|:)? (?<task>.+)`,
    (g) => ({ kind: "spawn", task: (g["task"] ?? "").trim() }),
    "rest",
  ),
  rule("in the background,? (?<task>.+)", (g) => ({ kind: "spawn", task: (g["task"] ?? "").trim() }), "rest"),
  rule(
    "(?:list|show|what are)(?: me)?(?: all)?(?: of)?(?: the| my)?(?: active)? (?:cron jobs|scheduled (?:jobs|tasks)|jobs|reminders|schedules?)",
    () => ({ kind: "list-jobs" }),
  ),
  rule("(?:remove|delete|cancel)(?: the)? (?:cron )?(?:job|reminder) (?<id>\\S+)", (g) => ({
    kind: "remove-job",
    id: unquote(g["id"] ?? ""),
  })),
  rule("(?:use|load)(?: the)?(?: skill (?<name>\\S+)| (?<named>\\S+) skill)", (g) => ({
    kind: "use-skill",
    name: unquote(g["name"] ?? g["named"] ?? ""),
  })),
];

const memory: readonly Rule[] = [
  rule(
    "(?:recall|what do you (?:remember|know) about|do you remember|search (?:your )?memory for)(?: my| the)? (?<query>.+)",
    (g) => ({ kind: "recall", query: memoryWords(g["query"]) }),
  ),
  rule("what do you remember", () => ({ kind: "read", path: "memory/MEMORY.md", about: false })),
  rule("(?:what|who|where|when)(?:'s| is| are| was| were) my (?<query>.+)", (g) => ({
    kind: "recall",
    query: memoryWords(g["query"]),
  })),
  rule(
    "(?:please )?(?:remember|memori[sz]e|keep in mind|do(?:n't| not) forget|note down|make a note)(?: that| this)?:? (?<text>.+)",
    (g) => ({ kind: "remember", text: unquote(g["text"] ?? "") }),
    "rest",
  ),
];

const files: readonly Rule[] = [
  rule(
    String.raw`(?:create|make|write)(?: me)?(?: a| an| the)?(?: new)?(?: text)? file (?:called |named )?(?<path>${PATH}),? (?:with|containing|that says|saying)(?: the)?(?: (?:text|contents?|words?|line))?:? (?<content>.+)`,
    write,
    "rest",
  ),
  rule(
    `(?:create|make|write) (?<path>${PATH}) (?:with|containing|that says|saying)(?: the)?(?: (?:text|contents?|words?|line))?:? (?<content>.+)`,
    (g) => (looksLikePath(g["path"] ?? "") ? write(g) : undefined),
    "rest",
  ),
  rule(`(?:create|make|touch)(?: an?| the)?(?: new)?(?: empty)? file (?:called |named )?(?<path>${PATH})`, write),
  rule(`(?:append|add) (?<content>.+?) (?:to|at) (?:the )?(?:end of )?${FILE}`, (g) =>
    looksLikePath(g["path"] ?? "")
      ? { kind: "append", path: cleanPath(g["path"]), content: unquote(g["content"] ?? "") }
      : undefined,
  ),
  rule(
    `(?:write|save|put|store) (?<content>.+?) (?:in|to|into|as) (?:a |the )?(?:new )?(?:text )?(?:file )?(?:called |named )?(?<path>${PATH})`,
    (g) => (looksLikePath(g["path"] ?? "") ? write(g) : undefined),
  ),
  rule(`(?:replace|change) (?<old>.+?) (?:with|to|by|into) (?<new>.+?) in ${FILE}`, edit),
  rule(`in ${FILE},? (?:replace|change) (?<old>.+?) (?:with|to|by|into) (?<new>.+)`, edit),
  rule(
    `(?:fetch|get|open|read|download|visit|load|browse(?: to)?|go to) (?:the )?(?:page |site |url |website )?(?:at )?(?<url>${URL_PATTERN})|(?<bare>${URL_PATTERN})`,
    (g) => ({ kind: "fetch", url: g["url"] ?? g["bare"] ?? "", about: false }),
  ),
  rule(
    `(?:summari[sz]e|what(?:'s| is) (?:on|at|in)|what does|tell me (?:about|what is (?:on|at|in)|what)|describe|explain) (?:the )?(?:page |site |url )?(?:at )?(?<url>${URL_PATTERN})(?: (?:says?|is about|about|contains?))?`,
    (g) => ({ kind: "fetch", url: g["url"] ?? "", about: true }),
  ),
  rule(
    String.raw`(?:fetch|visit|browse(?: to)?|go to) (?<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?:\/\S*)?)`,
    (g) => ({ kind: "fetch", url: `https://${g["host"] ?? ""}`, about: false }),
  ),
  rule(
    `(?:list|show|display|see|look at)(?: me)?(?: all)?(?: of)?(?: the| my| your)?(?: current)? (?:files?|folders?|director(?:y|ies)|contents?|entries|workspace)(?: and (?:files|folders|directories))?${HERE}`,
    list,
  ),
  rule(
    `(?:what|which) (?:files?|folders?)(?: and folders?)?(?: are| is| exist| do (?:you|i|we) (?:have|see))?(?: there)?${HERE}|what(?:'s| is)(?: there)?(?: here| in (?<folder>(?:this|the) (?:folder|directory|workspace)))`,
    list,
  ),
  rule(String.raw`(?:ls|dir)(?: (?<path>[^\s-]\S*))?|list (?<folder>\S*\/\S*)`, list),
  rule(
    `(?:tell me |explain(?: to me)? |say |find out |check )?what (?:the )?(?:file )?(?<path>${PATH}) (?:is (?:all )?about|says?|contains?|is for|describes?|does)`,
    about,
  ),
  rule(
    `what(?:'s| is| does)(?: the)?(?: file)? (?<path>${PATH})(?: all)? (?:about|for|say|contain|describe|do)`,
    about,
  ),
  rule(`(?:what(?:'s| is) (?:in|inside)|tell me about) ${FILE}`, about),
  rule(
    `(?:summari[sz]e|sum up|explain|describe|give me (?:a )?(?:short |brief )?summary of) ${FILE}(?: for me)?`,
    about,
  ),
  rule(`(?:read|open|cat|print|view)(?: me)?(?: the)?(?: contents? of)? ${FILE}(?: to me| for me)?`, (g) =>
    /^(?:the|a|my|your)$/i.test(g["path"] ?? "")
      ? undefined
      : { kind: "read", path: cleanPath(g["path"]), about: false },
  ),
  rule(`(?:show|display)(?: me)?(?: the)?(?: contents? of)? ${FILE}`, (g) =>
    looksLikePath(g["path"] ?? "") ? { kind: "read", path: cleanPath(g["path"]), about: false } : undefined,
  ),
];

const search: readonly Rule[] = [
  rule(
    "(?:search|look)(?: on| in| through)?(?: the)?(?: web| internet|(?: up)? online)(?: for|:)? (?<query>.+)",
    web,
    "unknown",
  ),
  rule("(?:search(?: for)?|find|look(?: up| for)) (?<query>.+) (?:online|(?:on|in) the (?:web|internet))", web),
  rule("(?:google|web search|look up)(?: for)? (?<query>.+)", web, "unknown"),
  rule(
    `(?:search|grep|look)(?: in| through)?(?: all)?(?: the| my)? (?:files?|workspace|notes|code)(?: here)? for (?<text>.+?)(?: in ${FILE})?`,
    grep,
    "unknown",
  ),
  rule(
    `which (?:files?|lines?) (?:contains?|mentions?|has|have) (?<text>.+)|(?:find|grep|search(?: for)?|look for) (?<found>.+?) in (?:(?:the|my|all)(?: the)? (?:files|workspace|code|notes)|(?<path>${PATH}))`,
    grep,
  ),
  rule("(?:grep|search for|find) (?<text>.+)", grep, "unknown"),
];

const commands: readonly Rule[] = [
  rule(
    String.raw`(?:run|execute|exec)(?:(?: the)?(?: shell)? command)?:? (?<command>.+)|[$!] ?(?<shell>.+)|(?<bare>(?:ls -\S|git (?:status|log|diff|branch)|pwd\b|whoami\b|uname\b).*|\x60[^\x60]+\x60)`,
    (g) => {
      const command = unquote(g["command"] ?? g["shell"] ?? g["bare"] ?? "");
      // "run the tests" names no command: guessing one is not practice mode's business.
      return /^(?:the|a|an|my|your|some|all|it|that)\b/i.test(command) ? undefined : { kind: "run", command };
    },
    "unknown",
  ),
];

export const ENGLISH: readonly Rule[] = [...talk, ...background, ...memory, ...files, ...search, ...commands];

/** Words in front of a request that change nothing. */
export const ENGLISH_COURTESY: RegExp =
  /^(?:please|pls|kindly|now|also|and|then|first|next|finally|so|ok(?:ay)?|hey|hi|hello|margay|(?:can|could|would|will) you|i(?:'d| would) like you to|i (?:want|need) you to|let's|go ahead and)[\s,:]+/iu;

function write(groups: Readonly<Record<string, string | undefined>>) {
  return { kind: "write", path: cleanPath(groups["path"]), content: unquote(groups["content"] ?? "") } as const;
}
function edit(groups: Readonly<Record<string, string | undefined>>) {
  return {
    kind: "edit",
    path: cleanPath(groups["path"]),
    oldText: unquote(groups["old"] ?? ""),
    newText: unquote(groups["new"] ?? ""),
  } as const;
}
function list(groups: Readonly<Record<string, string | undefined>>) {
  return { kind: "list", path: cleanFolder(groups["path"] ?? groups["folder"]) } as const;
}
function about(groups: Readonly<Record<string, string | undefined>>) {
  const path = groups["path"] ?? "";
  if (path.endsWith("/")) return { kind: "list", path: cleanFolder(path) } as const;
  if (!looksLikePath(path) && !/^(?:it|that|this)$/i.test(path)) return undefined;
  return { kind: "read", path: cleanPath(path), about: true } as const;
}
function web(groups: Readonly<Record<string, string | undefined>>) {
  return { kind: "search-web", query: unquote(groups["query"] ?? "") } as const;
}
function grep(groups: Readonly<Record<string, string | undefined>>) {
  const path = groups["path"];
  return {
    kind: "search-files",
    text: unquote(groups["text"] ?? groups["found"] ?? ""),
    ...(path !== undefined && { path: cleanPath(path) }),
  } as const;
}
/** `recall` wants every word to occur, so the small ones go. */
function memoryWords(query: string | undefined): string {
  const words = unquote(query ?? "")
    .split(/\s+/)
    .filter((word) => !/^(?:my|the|a|an|i|me|is|was|are|about|what|that|of|said|told|you)$/i.test(word));
  return words.length > 0 ? words.join(" ") : unquote(query ?? "");
}
