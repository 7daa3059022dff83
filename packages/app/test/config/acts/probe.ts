// R417: what a key of the configuration changes in the world: a gateway on a home of its own, twice, with another value each time.
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import { RuntimeError, type Commit, type Json, type JsonObject, type TurnOutcome } from "@margay/core";
import { fakeClock } from "@margay/core/testing";
import { type FakeClock, type RecordedRequest } from "@margay/core/internal/testing";
import {
  MOCK_KEY,
  startGateway,
  type GatewayPlaceOptions,
  type Owner,
  type TestGateway,
} from "../../gateway/support.ts";

export interface World extends TestGateway {
  /** One message in a conversation of its own, or in `chat`, to the end of its turn. */
  turn(text: string, chat?: string): Promise<TurnOutcome>;
  records(chat: string): Promise<readonly Commit["records"][number][]>;
  readonly web: Web;
  readonly place: Place;
  /** Time of the whole program, with `stopped`. */
  readonly clock: FakeClock;
}

/** A server somewhere else, which the agent is allowed to reach. */
export interface Web {
  readonly url: string;
  readonly hits: readonly IncomingMessage[];
  /** Of the hits that were read to their end. */
  readonly bodies: readonly string[];
  /** Resolves when the bodies are so. */
  said(holds: (bodies: readonly string[]) => boolean): Promise<void>;
  /** Ends every connection; who comes later finds nobody. */
  close(): Promise<void>;
}

export interface Probe {
  /** The key with a name in place of each `*`. Default: the key. */
  readonly at?: string;
  /** `undefined`: the key is not there. A function is given what only exists at run time. */
  readonly values: readonly [Value, Value];
  /** Besides, merged over the configuration of the mock model. */
  readonly config?: JsonObject | ((place: Place) => JsonObject);
  readonly place?: Omit<GatewayPlaceOptions, "config" | "clock">;
  /** The clock of the program stands still until it is moved. */
  readonly stopped?: true;
  /** Answers what the server somewhere else is asked. */
  web?(request: IncomingMessage, response: ServerResponse): void;
  see(world: World, which: 0 | 1): unknown;
  /** What is seen with the one value and with the other. */
  readonly saw: readonly [unknown, unknown];
}

type Value = Json | undefined | ((place: Place) => Json);

export interface Place {
  readonly modelUrl: string;
  readonly webUrl: string;
  /** A folder that everybody may write to. */
  readonly scratch: string;
  readonly freePort: number;
}

export type Probes = Readonly<Record<string, Probe>>;

export async function observe(t: Owner, path: string, probe: Probe): Promise<readonly unknown[]> {
  return Promise.all(
    ([0, 1] as const).map(async (which) => {
      const made = await world(t, path, probe, which).catch((error: unknown) => error);
      if (made instanceof RuntimeError) return `refused: ${made.code}`;
      if (made instanceof Error) throw made;
      return probe.see(made as World, which); // what is no error was made
    }),
  );
}

async function world(t: Owner, path: string, probe: Probe, which: 0 | 1): Promise<World> {
  const web = await somewhere(t, probe.web);
  const clock = fakeClock();
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "margay-scratch-")));
  chmodSync(scratch, 0o777);
  t.onTestFinished(async () => rmSync(scratch, { recursive: true, force: true }));
  const free = await somewhere(t);
  await free.close();
  const besidesUrl = { webUrl: web.url, scratch, freePort: Number(new URL(free.url).port) };
  let placed: Place = { modelUrl: "", ...besidesUrl };
  const config = (modelUrl: string): JsonObject => {
    const place = { modelUrl, ...besidesUrl };
    placed = place;
    const besides = typeof probe.config === "function" ? probe.config(place) : (probe.config ?? {});
    const base = {
      providers: { mock: { api: "openai-chat", baseUrl: `${modelUrl}/v1`, apiKey: MOCK_KEY } },
      // What is asked elsewhere is asked of the server above.
      tools: { webFetch: { allowHosts: ["127.0.0.1"] } },
      heartbeat: { enabled: false },
    };
    const merged = merge(base, besides);
    const given = probe.values[which];
    const value = typeof given === "function" ? given(place) : given;
    return value === undefined ? merged : merge(merged, nested((probe.at ?? path).split("."), value));
  };
  const gateway = await startGateway(t, { ...probe.place, config, ...(probe.stopped === true && { clock }) });
  let chats = 0;
  return {
    ...gateway,
    web,
    clock,
    place: placed,
    turn: (text, chat = `cli:probe-${(chats += 1)}`) => gateway.app.agent.send(chat, text).finished,
    records: async (chat) => {
      const session = await gateway.app.agent.sessions.find(chat);
      const records: Commit["records"][number][] = [];
      if (session === undefined) return records;
      for await (const { records: some } of gateway.app.inside.readCommits(session.state.id)) records.push(...some);
      return records;
    },
  };
}

async function somewhere(t: Owner, answer?: Probe["web"]): Promise<Web> {
  const hits: IncomingMessage[] = [];
  const bodies: string[] = [];
  const watchers = new Set<() => void>();
  const server = createServer((request, response) => {
    hits.push(request);
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(body);
      for (const look of watchers) look();
    });
    if (answer === undefined) response.end("nothing");
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  t.onTestFinished(close);
  const said: Web["said"] = (holds) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (holds(bodies)) resolve();
      };
      watchers.add(look);
      look();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits, bodies, said, close };
}

/** @param over Wins, also over a list as a whole. */
export function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nested([name = "", ...rest]: readonly string[], value: Json): JsonObject {
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}

const HAPPENS_MS = 6_000;
const LOOK_MS = 20;

/** Whether it happens: true at once when it does. What does not happen costs the wait. */
export async function happens(promise: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const never = pause(HAPPENS_MS, false, { signal: ended.signal }).catch(() => false);
  const is = await Promise.race([promise.then(() => true), never]);
  ended.abort();
  return is;
}

/** The same for what has to be looked for; nobody looks any more when it is over. */
export function comes(holds: () => Promise<boolean>): Promise<boolean> {
  return vi.waitUntil(holds, { timeout: HAPPENS_MS, interval: LOOK_MS }).catch(() => false);
}

export function lastRequest({ model }: World): RecordedRequest {
  const request = model.requests.at(-1);
  if (request === undefined) throw new Error("the model was not asked");
  return request;
}

/** What the model was told last of a call. */
export function lastResult(world: World): string {
  return lastRequest(world).toolResults.at(-1)?.text ?? "";
}

/** The names of the tools that the model was offered. */
export function offered(world: World): readonly string[] {
  const tools = lastRequest(world).body["tools"] as readonly { readonly function: { readonly name: string } }[];
  return tools.map((tool) => tool.function.name);
}
