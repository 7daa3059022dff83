// What a search engine is to `web_search`, and what they share.
import { isRecord } from "../../lib/is-record.ts";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { ellipsis } from "../../lib/text.ts";
import type { SafeRequest } from "../../machine/http/safe-exchange.ts";
import type { SafeFetch, SafeResponse } from "../../machine/http/safe-fetch.ts";
import { decodeBody } from "./charset.ts";

export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}
/** @throws RuntimeError `tool.failed`: retryable when the engine may answer later. */
export type Engine = (query: string, count: number, signal: AbortSignal) => Promise<readonly Hit[]>;

const MAX_SNIPPET_CHARS = 400;
const MAX_TITLE_CHARS = 200;

/** The body of a good answer. */
export async function ask(
  name: string,
  fetch: SafeFetch,
  url: URL,
  request: SafeRequest,
  signal: AbortSignal,
): Promise<string> {
  const result = await fetch(url.href, request, signal);
  if (result.status === "refused") throw failure(`${name}: ${result.refusal.fact}`, false);
  const { response } = result;
  if (response.status === 200) return decodeBody(response.body, response.headers["content-type"]);
  throw failure(describe(name, response), response.status === 429 || response.status >= 500);
}

export function failure(text: string, retryable: boolean): RuntimeError {
  return new RuntimeError("tool.failed", `${text}.`, { retryable });
}

/** The list under `path` of a JSON answer; an answer of another shape is an error, not "no results". */
export function listIn(
  name: string,
  text: string,
  path: readonly string[],
): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw failure(`${name} did not answer with JSON`, true);
  }
  for (const key of path) value = isRecord(value) ? value[key] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** One line each, without markup; addresses that are not http(s) are left out. */
export function hit(title: unknown, url: unknown, snippet: unknown): readonly Hit[] {
  if (typeof url !== "string" || !/^https?:\/\/\S+$/i.test(url)) return [];
  const name = oneLine(title, MAX_TITLE_CHARS);
  return [{ title: name === "" ? url : name, url, snippet: oneLine(snippet, MAX_SNIPPET_CHARS) }];
}

function oneLine(value: unknown, maxChars: number): string {
  if (typeof value !== "string") return "";
  const text = value.replace(/<\/?[a-z][^<>]*>/gi, "").replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{1,6});/gi, entity);
  return ellipsis(text.replace(/\s+/g, " ").trim(), maxChars);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function entity(whole: string, name: string): string {
  if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

function describe(name: string, { status }: SafeResponse): string {
  if (status === 401 || status === 403) return `${name} refused the key (status ${status})`;
  return status === 429 ? `${name} asks to slow down (status 429)` : `${name} answered with status ${status}`;
}
