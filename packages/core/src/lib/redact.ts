// Takes secrets out of text on its way to a log, the audit trail or a person: by value and by shape.
import type { Json } from "../contract/base.ts";

const REPLACEMENT = "[redacted]";
/** Shorter strings are too likely to be ordinary words. */
const MIN_SECRET_CHARS = 8;

export interface Redactor {
  /** `text` with every known or secret-shaped value replaced by `[redacted]`. */
  redact(text: string): string;
  /** The same for every string and key inside a JSON value. */
  redactJson(value: Json): Json;
  /** Makes a value known: from now on its raw, base64, base64url, URL-encoded and hex forms are replaced. */
  register(secret: string): void;
}

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let pattern: RegExp | undefined;
  const register = (secret: string): void => {
    const value = secret.trim();
    if (value.length < MIN_SECRET_CHARS || known.has(value)) return;
    known.add(value);
    pattern = undefined;
  };
  const redact = (text: string): string => {
    let clean = text;
    if (known.size > 0) {
      pattern ??= valuePattern(known);
      clean = clean.replace(pattern, REPLACEMENT);
    }
    return redactShapes(clean);
  };
  const redactJson = (value: Json): Json => mapStrings(value, redact);
  secrets.forEach(register);
  return { redact, redactJson, register };
}

/** Values that look like credentials, whoever they belong to. */
export function redactShapes(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of SHAPES) clean = clean.replace(pattern, replacement);
  return clean;
}

// Each pattern starts at a fixed literal or class and has no nested repetition, so none can be made to backtrack long.
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g, REPLACEMENT],
  [/(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}/g, REPLACEMENT], // OpenAI, Anthropic, DeepSeek, OpenRouter
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/g, REPLACEMENT], // AWS access key id
  [
    /(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|gsk_|xai-|pplx-|tvly-|AIza)[A-Za-z0-9_-]{20,}/g,
    REPLACEMENT,
  ],
  [/(?<![A-Za-z0-9])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}/g, REPLACEMENT], // Slack
  [/(?<![A-Za-z0-9])\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g, REPLACEMENT], // Telegram bot token
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, REPLACEMENT], // JSON Web Token
  [/\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=-]{16,}/gi, `$1$2${REPLACEMENT}`],
  [/\b(x-api-key|x-goog-api-key|api-key)(["']?\s*[:=]\s*["']?)[A-Za-z0-9._~+/=-]{8,}/gi, `$1$2${REPLACEMENT}`],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"']{0,100}:)[^\s/@"']{3,200}@/gi, `$1${REPLACEMENT}@`], // password in a URL
];

function valuePattern(secrets: ReadonlySet<string>): RegExp {
  const forms = new Set<string>();
  for (const secret of secrets)
    for (const form of encodings(secret)) if (form.length >= MIN_SECRET_CHARS) forms.add(form);
  // Longest first: a secret that contains another is replaced as a whole.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return new RegExp(sorted.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
}

function encodings(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const url = encodeURIComponent(secret.toWellFormed());
  const base64 = [0, 1, 2].map((shift) => base64Core(bytes, shift));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    hex.map((pair) => `%${pair}`).join(""),
    hex.map((pair) => `%${pair.toUpperCase()}`).join(""),
    hex.join(""),
    hex.join("").toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** What base64 of any text with the secret at an offset of `shift` modulo 3 must contain. */
function base64Core(bytes: Uint8Array, shift: number): string {
  const text = btoa(String.fromCharCode(...new Array<number>(shift).fill(0), ...bytes));
  const usable = Math.floor(((shift + bytes.length) * 8) / 6); // characters decided by these bytes alone
  return text.slice(Math.ceil((shift * 8) / 6), usable);
}

export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item) => mapStrings(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]));
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
