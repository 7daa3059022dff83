// Runs one case of the corpus on a real port and compares what it says with what happened.
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join, relative } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect } from "vitest";
import {
  bodyText,
  filled,
  mapBody,
  mapBytes,
  mapPath,
  type AttackCase,
  type AttackFrame,
  type AttackRequest,
  type Mapping,
} from "./attack-cases.ts";
import type { Browser } from "./browser.ts";
import { requestText, sendRaw, type RawAnswer } from "./raw.ts";
import { frameHead, openRawSocket, type RawSocket } from "./raw-socket.ts";
import type { TestGateway } from "./support.ts";

export interface Arena {
  readonly gateway: TestGateway;
  readonly mapping: Mapping;
  readonly browser: Browser;
  readonly good: string;
  readonly limited: string;
  /** Words that stand in a foreign session only. */
  readonly foreign: string;
}

export async function runCase(one: AttackCase, arena: Arena): Promise<void> {
  const { expect: wanted, request } = one;
  const before = await effects(arena);
  const rss = process.memoryUsage().rss;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  if (request.kind === "ws") await runSocket(one, arena);
  else checkAnswer(one, request.kind === "raw" ? await runRaw(one, arena) : await runHttp(request, one, arena), arena);
  delay.disable();
  if (wanted.event_loop_delay_below_ms !== undefined)
    expect(delay.max / 1e6).toBeLessThan(wanted.event_loop_delay_below_ms);
  if (wanted.rss_growth_below !== undefined)
    expect(process.memoryUsage().rss - rss).toBeLessThan(wanted.rss_growth_below);
  const after = await effects(arena);
  switch (wanted.no_effect) {
    case "chat":
      expect(after.requests).toBe(before.requests);
      break;
    case "config":
      expect(after.config).toBe(before.config);
      break;
    case "cron":
      expect(after.jobs).toEqual(before.jobs);
      break;
    case undefined:
  }
  if (wanted.files_only_under !== undefined) checkFiles(before.files, after.files);
  if (wanted.no_access_to !== undefined) {
    expect(after.foreign).toBe(before.foreign);
    const added = after.keys.filter((key) => !before.keys.includes(key));
    expect(added.filter((key) => !key.startsWith("api:"))).toEqual([]);
  }
  if (wanted.js !== undefined) {
    const plain = {} as Readonly<Record<string, unknown>>;
    expect([plain["polluted"], plain["isAdmin"], plain["x"]]).toEqual([undefined, undefined, undefined]);
  }
}

interface Effects {
  readonly requests: number;
  readonly config: string;
  readonly jobs: unknown;
  readonly files: readonly string[];
  readonly keys: readonly string[];
  readonly foreign: string;
}

async function effects({ gateway }: Arena): Promise<Effects> {
  const { app, home, model } = gateway;
  await app.agent.idle();
  const sessions = (await app.agent.sessions.list()).map(({ id, key }) => ({ id, key }));
  const foreign = sessions.find(({ key }) => key === "telegram:12345")?.id ?? "";
  const files = filesUnder(join(home, ".."));
  const journals = files.filter((path) => path.includes(foreign) && path.endsWith("l"));
  return {
    requests: model.requests.length,
    config: readFileSync(join(home, "config.json"), "utf8"),
    jobs: await app.schedule.cron?.list(),
    files,
    keys: sessions.map(({ key }) => key),
    foreign: journals.map((path) => readFileSync(join(home, "..", path), "utf8")).join("\n"),
  };
}

/** Where a turn leaves files; the names are ours, never the caller's. */
const STATE = /^home\/(?:sessions|audit|api|index|blobs|gateway|memory|cron|control)\/[\w./-]+$|^home\/[\w.-]+$/;

function checkFiles(before: readonly string[], after: readonly string[]): void {
  const added = after.filter((path) => !before.includes(path));
  expect(added.filter((path) => !STATE.test(path) || path.includes(".."))).toEqual([]);
}

function filesUnder(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

function authHeaders({ auth }: AttackRequest, { browser, good, limited }: Arena): Readonly<Record<string, string>> {
  switch (auth) {
    case "good":
      return { authorization: `Bearer ${good}` };
    case "good-limited":
      return { authorization: `Bearer ${limited}` };
    case "bad":
      return { authorization: `Bearer ${good.slice(0, -4)}AAAA` };
    case "cookie":
      return { cookie: browser.cookie, "margay-key": browser.key };
    case "none":
    case undefined:
  }
  return {};
}

async function runHttp(request: AttackRequest, one: AttackCase, arena: Arena): Promise<RawAnswer> {
  const { mapping, gateway } = arena;
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [name, filled(value, mapping)]);
  const headers = { ...authHeaders(request, arena), ...(Object.fromEntries(given) as Record<string, string>) };
  const { path = "/", body = null, method = "GET" } = request;
  const session = typeof body === "string" ? sessionOf(body) : undefined;
  if (session !== undefined) return askAs(session, headers, gateway.port);
  const raw = body === null ? "" : typeof body === "string" ? body : bodyText(body);
  const text = filled(mapBody(raw, path), mapping);
  return sendRaw(gateway.port, requestText(gateway.port, method, mapPath(path, mapping), headers, text));
}

/** A session that the caller names: the seeds took it in the body, we in a header or `session_id`. */
function sessionOf(body: string): string | undefined {
  const [, quoted] = /"session":\s*("(?:[^"\\]|\\.)*")/.exec(body) ?? [];
  return quoted === undefined || body.length > 1000 ? undefined : (JSON.parse(quoted) as string);
}

async function askAs(session: string, headers: Readonly<Record<string, string>>, port: number): Promise<RawAnswer> {
  const isHeader = /^[\x21-\x7e]+$/.test(session);
  const body = {
    model: "margay",
    messages: [{ role: "user", content: "hi" }],
    ...(!isHeader && { session_id: session }),
  };
  const all = { ...headers, ...(isHeader && { "margay-session": session }) };
  return sendRaw(port, requestText(port, "POST", "/v1/chat/completions", all, JSON.stringify(body)));
}

function runRaw({ request }: AttackCase, { gateway, mapping }: Arena): Promise<RawAnswer> {
  const bytes = mapBytes(request.bytes ?? "", mapping);
  return request.then === undefined ? sendRaw(gateway.port, bytes) : sendEndless(gateway.port, bytes, request.then);
}

/** Goes on until the other side has had enough. */
function sendEndless(
  port: number,
  head: string,
  { repeat, drip, every_ms: pauseMs = 0, times }: NonNullable<AttackRequest["then"]>,
): Promise<RawAnswer & { readonly ms: number }> {
  const started = performance.now();
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    let left = times;
    const done = (): void => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
      resolve({ status, text, headers: {}, responses: 1, ms: performance.now() - started });
    };
    const more = (): void => {
      if (socket.destroyed || left-- <= 0) return;
      const next = (): void => {
        if (pauseMs === 0) more();
        else setTimeout(more, pauseMs);
      };
      socket.write(repeat ?? drip ?? "", next);
    };
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => (text += chunk));
    socket.on("error", () => {}); // the end we wait for
    socket.on("close", done);
    socket.write(head, more);
  });
}

function checkAnswer(one: AttackCase, answer: RawAnswer & { readonly ms?: number }, { mapping }: Arena): void {
  const { expect: wanted } = one;
  const about = `${one.id} ${one.title}: ${answer.text.slice(0, 400)}`;
  if (wanted.status !== undefined) expect(wanted.status, about).toContain(answer.status ?? "closed");
  for (const status of wanted.not_status ?? []) expect(answer.status, about).not.toBe(status);
  if (wanted.one_response === true) expect(answer.responses, about).toBeLessThanOrEqual(1);
  for (const [name, value] of Object.entries(wanted.header ?? {})) expect(answer.headers[name], about).toContain(value);
  if (wanted.header_absent !== undefined)
    expect(Object.keys(answer.headers), about).not.toContain(wanted.header_absent);
  for (const word of wanted.csp_has_no ?? [])
    expect(answer.headers["content-security-policy"], about).not.toContain(word);
  for (const word of wanted.cookie_has ?? []) expect(answer.headers["set-cookie"], about).toContain(word);
  if (wanted.cookie_not_contains !== undefined)
    expect(answer.headers["set-cookie"], about).not.toContain(filled(wanted.cookie_not_contains, mapping));
  if (wanted.body_not_re !== undefined)
    expect(answer.text, about).not.toMatch(new RegExp(filled(wanted.body_not_re, mapping)));
  if (wanted.closed_within_ms !== undefined) expect(answer.ms, about).toBeLessThan(wanted.closed_within_ms);
}

async function runSocket(one: AttackCase, arena: Arena): Promise<void> {
  const { request, expect: wanted } = one;
  const { gateway, mapping } = arena;
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [name, filled(value, mapping)]);
  const headers = { ...authHeaders(request, arena), ...(Object.fromEntries(given) as Record<string, string>) };
  await using socket = await openRawSocket(gateway.port, filled(request.path ?? "/ws", mapping), headers);
  const about = `${one.id} ${one.title}`;
  if (wanted.handshake !== undefined) expect(wanted.handshake, about).toContain(socket.status);
  for (const frame of request.frames ?? []) await sendFrame(socket, frame);
  if (wanted.close !== undefined) expect(wanted.close, about).toContain(await socket.closed);
  if (wanted.frame_error === true || wanted.frame_error_or_close !== undefined) {
    const isError = (text: string): boolean => (JSON.parse(text) as { readonly type: string }).type === "error";
    const refused = socket.text(isError).then(
      () => "error",
      () => "closed",
    );
    const outcome = await Promise.race([refused, socket.closed]);
    if (typeof outcome === "number") expect(wanted.frame_error_or_close, about).toContain(outcome);
    else expect(outcome, about).toBe("error");
  }
}

const PIECE = 65_536;

async function sendFrame(socket: RawSocket, frame: AttackFrame): Promise<void> {
  if (frame.json !== undefined) await socket.frame(JSON.stringify(frame.json));
  if (frame.text !== undefined) await socket.frame(frame.text);
  if (frame.hex !== undefined) await socket.frame(Buffer.from(frame.hex, "hex"));
  if (frame.rawhex !== undefined) await socket.write(Buffer.from(frame.rawhex, "hex"));
  if (frame.fill !== undefined) {
    await socket.write(frameHead(frame.fill));
    const piece = Buffer.alloc(PIECE, 0x61);
    for (let sent = 0; sent < frame.fill; sent += PIECE) await socket.write(piece);
  }
  for (let count = 0; count < (frame.fragments ?? 0); count++)
    await socket.frame(Buffer.alloc(frame.size ?? 1, 0x61), { opcode: count === 0 ? 1 : 0, fin: false });
  if (frame.ping !== undefined) {
    const some = Buffer.concat(Array.from({ length: 1000 }, () => frameHead(0, 9)));
    for (let sent = 0; sent < frame.ping; sent += 1000) await socket.write(some);
  }
}
