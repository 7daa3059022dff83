/** JSON of strangers: bounded depth and number of values, no duplicate or prototype keys, no lone surrogates, objects without a prototype. */
import { Problem } from "../api/problem.ts";

const MAX_DEPTH = 64;
/**
 * A mebibyte holds 350,000 empty objects, and each costs what a text of a page costs: what may be many is bounded, so
 * that no body keeps the event loop. A conversation of 6,000 messages fits.
 */
const MAX_VALUES = 20_000;
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** @throws Problem `request.malformed`. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("it is not UTF-8");
  }
  return parseJsonText(text);
}

/** The same for text that came as such, a WebSocket frame. @throws Problem `request.malformed`. */
export function parseJsonText(text: string): unknown {
  const keys = scan(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    throw malformed(position === undefined ? "it is not complete" : `character ${Number(position) + 1} is unexpected`);
  }
  // Of a key that comes twice, one is gone.
  if (check(value) !== keys) throw malformed("a key comes twice in one object");
  return value;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** @returns how many colons stand outside of strings. @throws Problem when it is too deep or too much, before anything is made of it. */
function scan(text: string): number {
  let keys = 0;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++)
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COLON:
        keys += 1;
        break;
      case COMMA:
        values += 1;
        if (values > MAX_VALUES) throw tooMany();
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        values += 1;
        if (values > MAX_VALUES) throw tooMany();
        depth += 1;
        if (depth > MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH}`);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
    }
  return keys;
}

function tooMany(): Problem {
  return malformed(`it holds more than ${MAX_VALUES} values`);
}

/** Of the closing quote, or of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

/** @returns how many keys its objects have, which lose their prototype here. @throws Problem for what JSON leaves open. */
function check(whole: unknown): number {
  let keys = 0;
  const open: unknown[] = [whole];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") {
      if (!value.isWellFormed()) throw malformed("a text holds half of a surrogate pair");
    } else if (typeof value === "number") {
      if (!Number.isFinite(value)) throw malformed("a number is too large");
    } else if (Array.isArray(value)) for (const one of value as readonly unknown[]) open.push(one);
    else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        keys += 1;
        if (FORBIDDEN.has(key)) throw malformed(`the key ${key} is not accepted`);
        if (!key.isWellFormed()) throw malformed("a key holds half of a surrogate pair");
        open.push(one);
      }
      Object.setPrototypeOf(value, null);
    }
  }
  return keys;
}

function malformed(reason: string): Problem {
  return new Problem("request.malformed", `The JSON cannot be used: ${reason}.`);
}
