/** What was sent and not confirmed yet: shown at once, sent again when the line is back or after a reload, never doubled. */
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { ApiProblem, type ProblemDocument } from "../api.ts";
import { randomId } from "../lib/ids.ts";
import type { OutgoingPart, SendResult } from "../wire.ts";
import { link } from "./link.ts";

export type SendMode = "steer" | "queue" | "interrupt";
/** `channel`: the answer is posted in the chat app of the session too. */
export type Deliver = "web" | "channel";

/** A session that the first message makes. */
export type Begins = "new" | "temporary";

export interface SendOptions {
  readonly mode?: SendMode;
  readonly deliver?: Deliver;
}

/** On its way: drawn at once, sent again after a reconnect with the same key, so it can't be doubled. */
export interface Outgoing {
  readonly key: string;
  readonly parts: readonly OutgoingPart[];
  readonly options: SendOptions;
  readonly at: number;
  readonly problem?: ProblemDocument;
}

export interface Outbox {
  readonly outgoing: ReadonlySignal<readonly Outgoing[]>;
  /** Those with these keys are in the session now. */
  confirm(keys: ReadonlySet<string>): void;
  /** After a reconnect, or when somebody looks again: what is on its way already is not sent beside itself. */
  repeat(): void;
  send(parts: readonly OutgoingPart[], options: SendOptions): void;
  resend(key: string): void;
  discard(key: string): void;
}

export interface OutboxOptions {
  /** Undefined: the first message makes it. */
  readonly session: () => string | undefined;
  readonly begins: Begins;
  readonly created: (session: string) => void;
}

/** Kept in the storage of the tab: it survives a reload, and two tabs do not send for each other. */
const STORED = "margay.outgoing.";

/** The sessions that something was sent to and not confirmed when the page was left. */
export function sessionsWithOutgoing(): readonly string[] {
  return Object.keys(sessionStorage).flatMap((name) => (name.startsWith(STORED) ? [name.slice(STORED.length)] : []));
}

export function createOutbox({ session, begins, created }: OutboxOptions): Outbox {
  const outgoing = signal(stored(session()));
  const onItsWay = new Set<string>();
  effect(() => store(session(), outgoing.value));
  const discard = (key: string): void => {
    outgoing.value = outgoing.value.filter((one) => one.key !== key);
  };
  /** The first message of a new chat makes its session: what follows waits, or each would make one of its own. */
  let making: Promise<void> | undefined;
  const transmit = async (one: Outgoing): Promise<void> => {
    while (session() === undefined && making !== undefined) await making;
    const sent = deliver(one);
    if (session() === undefined) {
      making = sent;
      void sent.then(() => (making = undefined));
    }
    await sent;
  };
  /** Never rejects. */
  const deliver = async (one: Outgoing): Promise<void> => {
    onItsWay.add(one.key);
    try {
      const result = await link().command<SendResult>("message.send", {
        session: session() ?? begins,
        key: one.key,
        parts: one.parts.map((part) =>
          part.type === "text" ? part : { type: part.type, blob: part.blob, name: part.name },
        ),
        ...one.options,
      });
      if (session() === undefined) created(result.session);
      if (result.status === "duplicate") discard(one.key);
    } catch (error) {
      if (error instanceof ApiProblem && error.code === "offline") return; // sent again when the line is back
      const problem =
        error instanceof ApiProblem ? error.problem : { code: "browser", title: "", status: 0, detail: String(error) };
      outgoing.value = outgoing.value.map((mine) => (mine.key === one.key ? { ...mine, problem } : mine));
    } finally {
      onItsWay.delete(one.key);
    }
  };
  return {
    outgoing,
    confirm: (keys) => {
      if (outgoing.value.some(({ key }) => keys.has(key)))
        outgoing.value = outgoing.value.filter(({ key }) => !keys.has(key));
    },
    repeat: () => {
      for (const one of outgoing.value) if (one.problem === undefined && !onItsWay.has(one.key)) void transmit(one);
    },
    send: (parts, options) => {
      const one: Outgoing = { key: randomId("m"), parts, options, at: Date.now() };
      outgoing.value = [...outgoing.value, one];
      void transmit(one);
    },
    resend: (key) => {
      const one = outgoing.value.find((mine) => mine.key === key);
      if (one === undefined) return;
      const { problem: _problem, ...again } = one;
      outgoing.value = outgoing.value.map((mine) => (mine.key === key ? again : mine));
      void transmit(again);
    },
    discard,
  };
}

/** A chat without a session yet sends only while there is a line: nothing of it has to outlive the page. */
function store(session: string | undefined, outgoing: readonly Outgoing[]): void {
  if (session === undefined) return;
  try {
    if (outgoing.length === 0) sessionStorage.removeItem(STORED + session);
    else sessionStorage.setItem(STORED + session, JSON.stringify(outgoing));
  } catch {
    // the storage is full: what this page holds is sent all the same
  }
}

function stored(session: string | undefined): readonly Outgoing[] {
  try {
    return session === undefined ? [] : (JSON.parse(sessionStorage.getItem(STORED + session) ?? "[]") as Outgoing[]); // written above
  } catch {
    return [];
  }
}
