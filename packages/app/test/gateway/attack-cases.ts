// The recorded attack corpus (attacks.jsonl, made for this project's seeds) and how its paths and placeholders map to margay.
import { readFileSync } from "node:fs";

export interface AttackCase {
  readonly id: string;
  readonly cat: string;
  readonly title: string;
  readonly request: AttackRequest;
  readonly expect: AttackExpectation;
}

export interface AttackRequest {
  readonly kind: "http" | "ws" | "raw" | "timing" | "sequence" | "start" | "connections" | "ws-many" | "flood";
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AttackBody | null;
  readonly auth?: "cookie" | "good" | "good-limited" | "bad" | "none";
  readonly frames?: readonly AttackFrame[];
  readonly bytes?: string;
  readonly then?: AttackTail;
  readonly n?: number;
  readonly config?: { readonly gateway: Readonly<Record<string, string>>; readonly hooks?: { readonly token: string } };
}

export interface AttackBody {
  readonly json_fill?: readonly string[];
  readonly text?: string;
  readonly times?: number;
  readonly nest?: number;
  readonly fill?: number;
}

export interface AttackFrame {
  readonly json?: unknown;
  readonly text?: string;
  readonly hex?: string;
  readonly rawhex?: string;
  readonly fill?: number;
  readonly fragments?: number;
  readonly size?: number;
  readonly ping?: number;
}

export interface AttackTail {
  readonly repeat?: string;
  readonly drip?: string;
  readonly every_ms?: number;
  readonly times: number;
}

export interface AttackExpectation {
  readonly status?: readonly (number | "closed")[];
  readonly not_status?: readonly number[];
  readonly handshake?: readonly number[];
  readonly close?: readonly number[];
  readonly frame_error?: boolean;
  readonly frame_error_or_close?: readonly number[];
  readonly no_effect?: "config" | "chat" | "cron";
  readonly header?: Readonly<Record<string, string>>;
  readonly header_absent?: string;
  readonly csp_has_no?: readonly string[];
  readonly cookie_has?: readonly string[];
  readonly cookie_not_contains?: string;
  readonly body_not_re?: string;
  readonly rss_growth_below?: number;
  readonly closed_within_ms?: number;
  readonly good_request_within_ms?: number;
  readonly accepted_at_most?: number;
  readonly event_loop_delay_below_ms?: number;
  readonly files_only_under?: string;
  readonly no_access_to?: readonly string[];
  readonly one_response?: boolean;
  readonly js?: string;
  readonly median_difference_below_us?: number;
}

export function attackCases(): readonly AttackCase[] {
  const text = readFileSync(new URL("attacks.jsonl", import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AttackCase);
}

export interface Mapping {
  /** Id of an own session, for what was one endpoint in the seeds. */
  readonly session: string;
  /** Digest of an uploaded file with a script in it. */
  readonly media: string;
  readonly placeholders: Readonly<Record<string, string>>;
}

const PATHS: Readonly<Record<string, string>> = {
  "/api/status": "/api/v1/system",
  "/api/config": "/api/v1/settings",
  "/api/cron": "/api/v1/cron/jobs",
  "/api/memory": "/api/v1/memory/files",
  "/api/login": "/api/v1/auth/login",
  "/api/sessions": "/api/v1/sessions",
};

export function mapPath(path: string, { session, media }: Mapping): string {
  if (path === "/api/chat") return `/api/v1/sessions/${session}/messages`;
  if (path === "/media/evil.svg") return `/api/v1/media/${media}`;
  const found = Object.entries(PATHS).find(
    ([old]) => path === old || path.startsWith(`${old}/`) || path.startsWith(`${old}?`),
  );
  return found === undefined ? path : `${found[1]}${path.slice(found[0].length)}`;
}

/** The target of a request line is a path like any other. */
export function mapBytes(bytes: string, mapping: Mapping): string {
  return filled(
    bytes.replace(
      /^([A-Z]+) (\/[^ ]*) HTTP/,
      (_line, method: string, path: string) => `${method} ${mapPath(path, mapping)} HTTP`,
    ),
    mapping,
  );
}

export function filled(text: string, { placeholders }: Mapping): string {
  return text.replaceAll(/@([A-Z_]+)@/g, (whole, name: string) => placeholders[name] ?? whole);
}

/** `{"message": …}` of the seeds becomes the parts of a message; what is no such object goes as it is. */
export function mapBody(body: string, path: string): string {
  if (path === "/v1/chat/completions") return body.replace('"model":"agent"', '"model":"margay"');
  if (path === "/api/login") return body.replace(/"token":"[^"]*"/, '"password":"@PASSWORD@"');
  if (path !== "/api/chat") return body;
  return body.replace(/"message":\s*("(?:[^"\\]|\\.)*"|\{\}|\["a"\]|1e999)/, '"parts":[{"type":"text","text":$1}]');
}

export function bodyText({ json_fill: fields = [], text = "", times = 1, nest, fill }: AttackBody): string {
  if (nest !== undefined) return `${"[".repeat(nest)}${"]".repeat(nest)}`;
  if (fill !== undefined) return "x".repeat(fill);
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, text.repeat(times)])));
}
