/** A running answer in a card that Feishu writes letter by letter: an entity of CardKit, which a message shows. */
import { createHash } from "node:crypto";
import type { ChannelHost, Json, OutboundPiece } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import { ANSWER, cardOf, type Message, type Words } from "./cards.ts";
import { Refusal } from "./errors.ts";
import { isLimit, missingScopes } from "./faults.ts";
import { isRecord, textOf } from "./json.ts";

export interface StreamCards {
  /** @returns what a message shows it by; undefined: the app may not, or Feishu does not want it now. */
  open(words: Words, key: string, signal: AbortSignal): Promise<Message | undefined>;
  /** That message has this id. */
  sent(id: string, key: string): Promise<void>;
  /** @returns false: it shows none, or none that can be changed so. @throws Refusal, NoAnswer. */
  edit(id: string, piece: OutboundPiece, words: Words, signal: AbortSignal): Promise<boolean>;
}

/** One that was made. */
interface Card {
  readonly card: string;
  readonly at: number;
}

const CARDS = "/cardkit/v1/cards";
/** Feishu wants numbers that rise. They follow the time, so that a process that comes later has higher ones, too. */
const STEP_MS = 100;
/** Feishu ends the writing after ten minutes, and when nothing came for a while. */
const CLOSED = [300_309, 200_850];
/** So long a card can be changed. */
const KEPT_MS = 14 * 86_400_000;
const MAX_CARDS = 1000;

interface Streams {
  readonly api: Api;
  readonly host: ChannelHost;
  /** Of each card the last number, and whether it is written letter by letter no more. */
  readonly known: Map<string, { last: number; isClosed: boolean }>;
  isAllowed: boolean;
  isTidy: boolean;
}

export function openStreams(api: Api, host: ChannelHost): StreamCards {
  const streams: Streams = { api, host, known: new Map(), isAllowed: true, isTidy: false };
  return {
    open: (words, key, signal) => open(streams, words, key, signal),
    async sent(id, key) {
      const made = cardAt(streams, key);
      if (made !== undefined) await keep(streams, id, made);
    },
    async edit(id, { live, actions, to }, words, signal) {
      const shown = cardAt(streams, id);
      if (shown === undefined) return false;
      try {
        if (live === true && (await write(streams, shown, words, signal))) return true;
        if (live !== true) await close(streams, shown, signal);
        const data = JSON.stringify(cardOf(words, actions, to.thread).content);
        await tell(streams, shown, { method: "PUT", path: "", body: { card: { type: "card_json", data } } }, signal);
        return true;
      } catch (error) {
        // What CardKit does not want may be wanted of the message.
        if (!(error instanceof Refusal) || isLimit(error)) throw error;
        host.log.debug("feishu.stream-refused", { code: error.code, message: error.message });
        return false;
      }
    },
  };
}

async function open(streams: Streams, words: Words, key: string, signal: AbortSignal): Promise<Message | undefined> {
  const { api, host } = streams;
  if (!streams.isAllowed || words.type === "plain") return undefined;
  if (!streams.isTidy) await host.state.forget("card-", host.clock.now() - KEPT_MS);
  streams.isTidy = true;
  const before = cardAt(streams, key);
  if (before !== undefined) return messageOf(before);
  try {
    const body = { type: "card_json", data: JSON.stringify(cardOf(words, [], undefined, true).content) };
    const answer = await api.call("POST", CARDS, { signal, body });
    const card = textOf(isRecord(answer["data"]) ? answer["data"]["card_id"] : undefined);
    if (card === undefined) return undefined;
    const made = { card, at: host.clock.now() };
    // The same key is the same message, and shows the same card.
    await keep(streams, key, made);
    return messageOf(made);
  } catch (error) {
    signal.throwIfAborted();
    if (missingScopes(error) === undefined) return undefined;
    streams.isAllowed = false;
    host.log.info("feishu.no-streams", { message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** @returns false: it is written letter by letter no more. */
async function write(streams: Streams, shown: Card, words: Words, signal: AbortSignal): Promise<boolean> {
  const memory = memoryOf(streams, shown);
  if (words.type === "plain" || memory.isClosed) return false;
  const content = { method: "PUT", path: `/elements/${ANSWER}/content`, body: { content: words.text } } as const;
  try {
    await tell(streams, shown, content, signal);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal) || !CLOSED.includes(error.code)) throw error;
    memory.isClosed = true;
    return false;
  }
}

/** It is closed already, or cannot be: it is written as a whole all the same. */
async function close(streams: Streams, shown: Card, signal: AbortSignal): Promise<void> {
  const memory = memoryOf(streams, shown);
  if (memory.isClosed) return;
  const settings = JSON.stringify({ config: { streaming_mode: false } });
  try {
    await tell(streams, shown, { method: "PATCH", path: "/settings", body: { settings } }, signal);
  } catch (error) {
    if (!(error instanceof Refusal) || isLimit(error)) throw error;
  }
  memory.isClosed = true;
}

async function tell(
  { api, host, known }: Streams,
  shown: Card,
  what: { readonly method: "PUT" | "PATCH"; readonly path: string; readonly body: Readonly<Record<string, Json>> },
  signal: AbortSignal,
): Promise<void> {
  const memory = memoryOf({ known }, shown);
  memory.last = Math.max(memory.last, Math.floor((host.clock.now() - shown.at) / STEP_MS)) + 1;
  const body = { ...what.body, sequence: memory.last };
  await api.call(what.method, `${CARDS}/${shown.card}${what.path}`, { signal, body });
}

function memoryOf({ known }: Pick<Streams, "known">, { card }: Card): { last: number; isClosed: boolean } {
  const memory = known.get(card) ?? { last: 0, isClosed: false };
  if (known.size >= MAX_CARDS) known.clear();
  known.set(card, memory);
  return memory;
}

function cardAt({ host: { state } }: Streams, name: string): Card | undefined {
  const value = state.value(nameOf(name));
  if (!isRecord(value) || typeof value["card"] !== "string") return undefined;
  return { card: value["card"], at: Number(value["at"]) };
}

function keep({ host: { state } }: Streams, name: string, { card, at }: Card): Promise<void> {
  return state.setValue(nameOf(name), { card, at });
}

function messageOf({ card }: Card): Message {
  return { msg_type: "interactive", content: { type: "card", data: { card_id: card } } };
}

function nameOf(name: string): string {
  return `card-${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
}
