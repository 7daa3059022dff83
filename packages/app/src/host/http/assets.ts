/** The browser's files and the documentation, from manifests made at build time: a path outside them never reaches the disk. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { readIfExists, sha256 } from "@margay/core/internal";
import type { Language } from "../../texts/text.ts";
import {
  contentSecurityPolicy,
  HELP_POLICY,
  PREVIEW_HEADERS,
  PREVIEW_PAGE,
  WORKER_HEADERS,
  WORKER_PATH,
} from "./headers.ts";
import { en } from "../api/api-texts.en.ts";
import { zh } from "../api/api-texts.zh.ts";

export interface Asset {
  readonly status: 200 | 304 | 307;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
}

export interface AssetRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of the request, which was checked. */
  readonly host: string;
  readonly secure: boolean;
  readonly language: Language;
}

export interface Assets {
  /** Changes whenever a page does. */
  readonly build: string;
  /** Whether the path is one of ours, without authentication. */
  has(path: string): boolean;
  read(request: AssetRequest): Asset | undefined;
}

interface Entry {
  /** Absent: only `gz` was shipped. */
  readonly file?: string;
  readonly type: string;
  readonly etag: string;
  readonly immutable?: boolean;
  readonly br?: string;
  readonly gz?: string;
}

/** All of them show the one document; what follows is the page's own matter. */
const CLIENT_ROUTE = /^\/(?:|login|setup|welcome|s\/[^/]+)$/;
const DIAGRAM = "/assets/diagram.html";
const DIAGRAM_POLICY =
  "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/** Without its slash, relative links of the documentation would lead nowhere. */
const HELP = "/help";

/** @param directory Of the built UI; it may be missing, and so may the documentation beside it. */
export function openAssets(directory: string): Assets {
  const text = manifestIn(directory);
  const help = Object.entries(parsed(manifestIn(join(directory, "../help"))));
  const manifest = new Map([
    ...help.map(([path, entry]): [string, Entry] => [path, { ...entry, gz: `../help/${entry.gz ?? ""}` }]),
    ...Object.entries(parsed(text)),
  ]);
  const cache = new Map<string, Buffer>();
  const fileOf = (name: string): Buffer => {
    const found = cache.get(name) ?? readFileSync(join(directory, name));
    cache.set(name, found);
    return found;
  };
  const entryOf = (path: string): Entry | undefined =>
    manifest.get(path) ?? (CLIENT_ROUTE.test(path) ? manifest.get("/") : undefined);
  return {
    build: sha256(text).slice(0, 16),
    has: (path) => entryOf(path) !== undefined || path === "/" || (path === HELP && help.length > 0),
    read: ({ path, headers, host, secure, language }) => {
      if (path === HELP && help.length > 0) return toHelp(language);
      const entry = entryOf(path);
      if (entry === undefined) return path === "/" ? unbuilt(host, secure) : undefined;
      const tag = `"${entry.etag}"`;
      const common: Record<string, string> = {
        etag: tag,
        "cache-control": entry.immutable === true ? "public, max-age=31536000, immutable" : "no-cache",
        ...(entry.type.startsWith("text/html") && policyOf(path, host, secure)),
        ...(path === WORKER_PATH && WORKER_HEADERS),
        ...(path.startsWith("/assets/diagram") && { "cross-origin-resource-policy": "cross-origin" }),
      };
      if (headers["if-none-match"] === tag) return { status: 304, headers: common, body: undefined };
      const { encoding, body } = bodyOf(entry, String(headers["accept-encoding"] ?? ""), fileOf);
      return {
        status: 200,
        headers: {
          ...common,
          "content-type": entry.type,
          vary: "Accept-Encoding",
          ...(encoding !== undefined && { "content-encoding": encoding }),
        },
        body,
      };
    },
  };
}

function manifestIn(directory: string): string {
  return readIfExists(join(directory, "manifest.json"))?.toString("utf8") ?? "{}";
}

/** @param text of our own build. */
function parsed(text: string): Readonly<Record<string, Entry>> {
  return JSON.parse(text) as Readonly<Record<string, Entry>>;
}

function toHelp(language: Language): Asset {
  const location = language === "en" ? `${HELP}/` : `${HELP}/${language}/`;
  const headers = { location, "cache-control": "no-cache", vary: "Accept-Language" };
  return { status: 307, headers, body: undefined };
}

function bodyOf(
  { file, br, gz }: Entry,
  accepted: string,
  read: (name: string) => Buffer,
): { readonly encoding?: string; readonly body: Buffer } {
  if (br !== undefined && /\bbr\b/.test(accepted)) return { encoding: "br", body: read(br) };
  if (gz !== undefined && /\bgzip\b/.test(accepted)) return { encoding: "gzip", body: read(gz) };
  return { body: file === undefined ? gunzipSync(read(gz ?? "")) : read(file) };
}

function policyOf(path: string, host: string, secure: boolean): Readonly<Record<string, string>> {
  // An empty X-Frame-Options removes the common one: the frame is shown inside our own page.
  if (path === DIAGRAM) return { "content-security-policy": DIAGRAM_POLICY, "x-frame-options": "" };
  if (path.startsWith(`${HELP}/`)) return { "content-security-policy": HELP_POLICY };
  if (path === PREVIEW_PAGE) return PREVIEW_HEADERS;
  return { "content-security-policy": contentSecurityPolicy(host, secure) };
}

function unbuilt(host: string, secure: boolean): Asset {
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": contentSecurityPolicy(host, secure),
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>margay</title>
<p>${en.unbuilt}</p>
<p lang="zh-CN">${zh.unbuilt}</p></html>
`,
  };
}

/** Where the build puts the page: beside the bundle, or in `dist` when run from source. */
export function assetDirectory(module: string): string {
  return fileURLToPath(new URL(module.includes("/src/host/http/") ? "../../../dist/web" : "./web", module));
}
