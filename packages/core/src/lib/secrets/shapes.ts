/** What credentials look like, whoever they belong to; and where a text that goes on may be the beginning of one. */
import { NAMED_SECRET, NAMED_SECRET_TAIL } from "./shapes.zh.ts";

export const REPLACEMENT = "[redacted]";

/** Text with everything that looks like a credential replaced. */
export function redactShapes(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of SHAPES)
    clean = typeof replacement === "string" ? clean.replace(pattern, replacement) : clean.replace(pattern, replacement);
  return clean;
}

/** Index from which the end of `text` may become a credential when more is added; its length: nowhere. */
export function shapeTail(text: string): number {
  const found = TAILS.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
  return Math.min(text.length, ...found);
}

// Each pattern starts at a literal and has no nested repetition, and what looks ahead is bounded: none can backtrack long.
// A digit is asked for where words would fit too: class names, variables of npm, prose after "Basic".
const SHAPES: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g, REPLACEMENT],
  [/(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}/g, withDigit], // OpenAI, Anthropic, DeepSeek, OpenRouter
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/g, REPLACEMENT], // AWS access key id
  [/(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|AIza)[A-Za-z0-9_-]{20,}/g, REPLACEMENT],
  [/(?<![A-Za-z0-9])(?:npm_|hf_|gsk_|xai-|pplx-)[A-Za-z0-9]{20,}/g, REPLACEMENT],
  [/(?<![A-Za-z0-9])tvly-[A-Za-z0-9_-]{20,}/g, withDigit],
  [/(?<![A-Za-z0-9])mgy_[A-Za-z0-9_-]{20,}/g, REPLACEMENT], // ours
  [/(?<![A-Za-z0-9])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}/g, REPLACEMENT], // Slack
  [/(?<![A-Za-z0-9])\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g, REPLACEMENT], // Telegram bot token
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, REPLACEMENT], // JSON Web Token
  [/\b(Bearer|Basic)(\s{1,8})(?=[A-Za-z_~+/=-]{0,64}[\d.])[A-Za-z0-9._~+/=-]{16,}/gi, `$1$2${REPLACEMENT}`],
  [
    /\b(x-api-key|x-goog-api-key|api-key)(["']?\s{0,8}[:=]\s{0,8}["']?)(?=[A-Za-z._~+/=-]{0,64}\d)[A-Za-z0-9._~+/=-]{8,}/gi,
    `$1$2${REPLACEMENT}`,
  ],
  // `password: "…"`, as JSON, YAML and code write it. A value of letters alone may be a word, one that goes on with a
  // call, a member or a template is code.
  [
    /(?<![A-Za-z0-9])(pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret)(["']?\s{0,8}[:=]\s{0,8})(["'`])(?=[^\s"'`\d]{0,64}\d)(?=[^\s"'`A-Za-z]{0,64}[A-Za-z])[^\s"'`.,;<>{}()]{8,}\3/gi,
    `$1$2$3${REPLACEMENT}$3`,
  ],
  // `PASSWORD=…`, `?password=…`, `--password=…`
  [
    /(?<![A-Za-z0-9])(pass(?:word|wd|phrase)|pwd)=(?=[^\s"'`\d&=]{0,64}\d)(?=[^\s"'`A-Za-z&=]{0,64}[A-Za-z])[^\s"'`&;,<>(){}[\]|=]{6,}={0,2}(?![\w.([{=])/gi,
    `$1=${REPLACEMENT}`,
  ],
  [NAMED_SECRET, `$1$2${REPLACEMENT}`],
  [/(:\/\/[^\s/:@"']{0,100}:)[^\s/@"']{3,200}@/g, `$1${REPLACEMENT}@`], // password in a URL
];

function withDigit(found: string): string {
  return /\d/.test(found) ? REPLACEMENT : found;
}

const TOKEN = String.raw`[A-Za-z0-9_.~+/=:-]`;
const LITERALS =
  "sk- AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- AIza npm_ hf_ gsk_ xai- pplx- tvly- mgy_ xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- eyJ".split(
    " ",
  );
/** After these a blank is enough. */
const SCHEMES = "bearer basic".split(" ");
/** These need a colon or an equals sign. */
const NAMES =
  "x-api-key x-goog-api-key api-key api_key apikey password passwd passphrase pwd secret token access-key access_key accesskey client-secret client_secret clientsecret".split(
    " ",
  );
/** The same, but at the end of the text, and not yet as long as they need to be. */
const TAILS: readonly RegExp[] = [
  /-----BEGIN(?![\s\S]*-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)[\s\S]*$/,
  /-{1,5}(?:B(?:E(?:GI?)?)?)?$/,
  new RegExp(`(?<![A-Za-z0-9])(?:${LITERALS.join("|")})${TOKEN}*$`),
  new RegExp(`(?<![A-Za-z0-9])(?:${beginnings(LITERALS)})$`),
  /(?<![A-Za-z0-9])\d{1,10}(?::[A-Za-z0-9_-]{0,35})?$/,
  new RegExp(`(?<![A-Za-z0-9])(?:${SCHEMES.join("|")})(?:\\s{1,8}[^\\s"'\`]*)?$`, "i"),
  new RegExp(`(?<![A-Za-z0-9])(?:${NAMES.join("|")})["']?\\s{0,8}(?:[:=]\\s{0,8}["'\`]?[^\\s"'\`]*)?$`, "i"),
  new RegExp(`(?<![A-Za-z0-9])(?:${beginnings([...SCHEMES, ...NAMES])})$`, "i"),
  NAMED_SECRET_TAIL,
  /:(?:\/(?:\/[^\s/@"']{0,301})?)?$/,
];

/** Every proper beginning of each. */
function beginnings(words: readonly string[]): string {
  const found = new Set(words.flatMap((word) => Array.from(word, (_letter, at) => word.slice(0, at)).slice(1)));
  return [...found].join("|");
}
