/** A real agent around the channel that is tried: a mock model over HTTP, journals on the disk, and a process that can end. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../../contract/agent.ts";
import type { AgentOptions } from "../../contract/agent-options.ts";
import type { JsonObject, Logger, Millis } from "../../contract/base.ts";
import type { Channel, ChannelHost, CommandInfo } from "../../contract/channel.ts";
import type { Address, ContentPart } from "../../contract/message.ts";
import { commandList } from "../../channels/commands/command-list.ts";
import { registering } from "../../channels/commands/registering.ts";
import { channelHost } from "../../channels/host.ts";
import { commandTexts } from "../../control/command-texts.ts";
import { createAgent } from "../../create-agent.ts";
import { openBlobs } from "../../journal/blobs.ts";
import { sessionKeyOf } from "../../lib/session-key.ts";
import { httpProvider } from "../../http-provider.ts";
import { type MockModel, startMockModel } from "../mock-llm/mock-model.ts";
import type { RecordedRequest } from "../mock-llm/request.ts";
import { type Script, says } from "../mock-llm/script.ts";
import { type LeapingClock, leapingClock } from "./leaping-clock.ts";
import type { ChannelPeer, ChannelSuite, PeerOptions, PeerPerson, PeerShown, PeerWriting } from "./peer.ts";

export interface Logged {
  readonly event: string;
  readonly data: JsonObject;
}

/** One process of margay. */
export interface Margay {
  readonly agent: Agent;
  readonly channel: Channel;
  readonly host: ChannelHost;
  readonly log: readonly Logged[];
  /** How often the channel said that all is well. */
  readonly ups: number;
  readonly dead: number;
  /** At once: nothing in hand is brought to its end. */
  end(): Promise<void>;
  /** As a service is stopped. @returns how long it took. */
  stop(): Promise<Millis>;
}

export interface MargayOptions {
  /** Around the channel. */
  readonly channel?: (channel: Channel) => Channel;
  /** As the platform wants it. Default: neither typing nor a pace, which take time. */
  readonly manners?: "real";
  /** Pauses last. */
  readonly time?: "lasting";
  readonly agent?: Partial<AgentOptions>;
  /** Default: ours. */
  readonly commands?: readonly CommandInfo[];
  /** Other channels. */
  readonly beside?: readonly Channel[];
  /** Default: it waits until the channel is up. */
  readonly waits?: false;
}

export interface House extends AsyncDisposable {
  readonly peer: ChannelPeer;
  readonly model: MockModel;
  readonly clock: LeapingClock;
  start(options?: MargayOptions): Promise<Margay>;
  /** Somebody new, and the private chat with them. */
  guest(name?: string): Promise<{ readonly person: PeerPerson; readonly chat: Address }>;
  write(by: PeerPerson, to: Address, text: string, how?: PeerWriting): Promise<unknown>;
  /** From now on nothing can be stored of what comes, until it is free again. Before the first message of a process. */
  fillDisk(): void;
  freeDisk(): void;
  /** The platform's clock goes so much before ours. */
  platformAhead(ms: Millis): void;
  /** What went wrong in the last process, for a test that failed. */
  troubles(): string;
  /** Texts of ours there, once there are so many; then no more come. */
  texts(place: Address, count: number): Promise<readonly string[]>;
  shown(place: Address): Promise<readonly PeerShown[]>;
}

const LATE_MS = 60_000;
const LOOK_MS = 5;

/** Until it is so. @throws with what was waited for. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms: number = LATE_MS,
): Promise<void> {
  const late = Date.now() + ms;
  while (!(await holds())) {
    assert.ok(Date.now() < late, `not within ${ms / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Of all that was asked since the model spoke last, one answer each: what is written `to N` is answered `Answer to N.` */
export function answering(request: RecordedRequest): ReturnType<typeof says> {
  return says(
    asked(request)
      .map((name) => `Answer to ${name}.`)
      .join(" "),
  );
}

/** The names behind `to` that nobody has answered. */
export function asked({ messages }: RecordedRequest): readonly string[] {
  const begin = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const texts = messages.slice(begin).flatMap(({ parts }) => JSON.stringify(parts));
  return texts.flatMap((text) => [...text.matchAll(/\bto ([a-z]?\d+)\b/g)].map(([, name = ""]) => name));
}

export function always(script: Script, times = 500): readonly Script[] {
  return Array.from({ length: times }, () => script);
}

export async function openHouse(suite: ChannelSuite, options: Omit<PeerOptions, "clock"> = {}): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "margay-suite-"));
  const clock = leapingClock();
  const model = await startMockModel({ rules: "off" });
  let ahead = 0;
  const peer = await suite.peer({ clock: { now: () => clock.now() + ahead }, ...options });
  // Where the keys of messages are kept stands a file: as on a full disk no folder can be made there, whoever runs this.
  const keys = join(folder, "home", "keys");
  const processes: Margay[] = [];
  let guests = 0;
  const shown = async (place: Address): Promise<readonly PeerShown[]> => peer.shown(place);
  return {
    peer,
    model,
    clock,
    shown,
    async start(given = {}) {
      const margay = startMargay({ folder, peer, model, clock }, given);
      processes.push(margay);
      if (given.waits !== false) await eventually("the channel is up", () => margay.ups > 0);
      return margay;
    },
    async guest(name = `Guest ${(guests += 1)}`) {
      const person = await peer.person(name);
      return { person, chat: await peer.chat(person) };
    },
    fillDisk: () => {
      mkdirSync(join(folder, "home"), { recursive: true });
      writeFileSync(keys, "");
    },
    freeDisk: () => rmSync(keys),
    platformAhead: (ms) => void (ahead = ms),
    troubles: () => JSON.stringify(processes.at(-1)?.log.slice(-12) ?? []),
    write: async (by, to, text, how) => peer.write(by, to, text, how),
    async texts(place, count) {
      let texts: readonly string[] = [];
      const look = async (): Promise<boolean> => {
        texts = (await shown(place)).map(({ text }) => text);
        return texts.length >= count;
      };
      await eventually(`${count} messages of ours`, look).catch((error: unknown) => {
        throw new Error(`${String(error)}; there are ${JSON.stringify(texts)}`, { cause: error });
      });
      for (const { agent } of processes.slice(-1)) await agent.idle();
      await look();
      return texts;
    },
    async [Symbol.asyncDispose]() {
      for (const one of processes) await one.end();
      await peer[Symbol.asyncDispose]();
      await model.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Around {
  readonly folder: string;
  readonly peer: ChannelPeer;
  readonly model: MockModel;
  readonly clock: LeapingClock;
}

function startMargay({ folder, peer, model, clock }: Around, options: MargayOptions): Margay {
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const logged: Logged[] = [];
  const write = (event: string, data: JsonObject = {}): void => void logged.push({ event, data });
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  const blobs = openBlobs(join(folder, "blobs"));
  let ups = 0;
  let dead = 0;
  const made = channelHost(peer.id, {
    folder: join(folder, "channels"),
    blobs: () => blobs,
    clock: clock.lasting,
    fileHosts: ["http://127.0.0.1"],
    log,
    report: (_id, { state }) => void (ups += state === "up" ? 1 : 0),
    ...(peer.hooks !== undefined && { hooks: peer.hooks }),
  });
  const deadLetter: ChannelHost["deadLetter"] = (frame, error) => {
    dead += 1;
    made.deadLetter(frame, error);
  };
  const registered = registering({ ...made, deadLetter }, options.commands ?? commandList(commandTexts));
  const { host } = registered;
  const plugged = peer.plugin.create({ id: peer.id, settings: peer.settings }, host);
  const channel: Channel = { ...plugged, run: (inbox, signal) => registered.run(plugged, inbox, signal) };
  const mannered = options.manners === "real" ? channel : { ...channel, can: plain(channel.can) };
  const agent = createAgent({
    directory: join(folder, "home"),
    workspace,
    provider: httpProvider({ id: "mock", wire: "openai-chat", baseUrl: `${model.url}/v1`, keys: ["test-key"] }),
    model: { provider: "mock", model: "mock-model" },
    policy: {
      admit: () => Promise.resolve({ ok: true }),
      judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
    },
    channels: [options.channel?.(mannered) ?? mannered, ...(options.beside ?? [])],
    blobs,
    clock: options.time === "lasting" ? clock.lasting : clock,
    log,
    ...options.agent,
  });
  const stopping = new AbortController();
  const running = agent.run(stopping.signal);
  running.catch(() => {}); // told to whoever ends it
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    stopping.abort(new Error("the process ends"));
    await agent[Symbol.asyncDispose]();
    await running;
  };
  return {
    agent,
    channel,
    host,
    log: logged,
    get ups() {
      return ups;
    },
    get dead() {
      return dead;
    },
    end: () => (ended ??= end()),
    async stop() {
      const begun = performance.now();
      stopping.abort(new Error("the service stops"));
      await running;
      const took = performance.now() - begun;
      await (ended ??= Promise.resolve(agent[Symbol.asyncDispose]()));
      return took;
    },
  };
}

function plain({ typingMs: _typing, rate: _rate, ...can }: Channel["can"]): Channel["can"] {
  return can;
}

/** What persons said in the conversation of that place, as it came to the model. */
export async function heard({ agent }: Margay, place: Address): Promise<readonly (readonly ContentPart[])[]> {
  const session = await agent.sessions.find(sessionKeyOf(place));
  const said = session?.state.messages.flatMap((message) => (message.role === "user" ? [message] : [])) ?? [];
  return said.filter(({ from }) => from.kind === "person").map(({ parts }) => parts);
}

export function wordsOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** Nobody asked for it there. @returns the id of the reply: no two are one, as a platform may outlive the test. */
export async function sendTo(
  { agent }: Margay,
  to: Address,
  content: string | readonly ContentPart[],
): Promise<string> {
  const reply = randomUUID();
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  await agent.bus.send(sessionKeyOf(to), { reply, to, kind: "message", parts, from: { id: "test", kind: "agent" } });
  return reply;
}
