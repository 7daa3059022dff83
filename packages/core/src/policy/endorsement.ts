/** What the operator wrote word for word may be an argument of a call, whatever else is in the context. */
import type { Message } from "../contract/message.ts";
import type { CallId } from "../contract/base.ts";
import type { SessionState, TurnState } from "../contract/session.ts";
import { growingReduce } from "../lib/async/growing-list.ts";
import { says } from "../lib/whole-word.ts";
import { sourceOf } from "./sources.ts";

/** Links that stood in a result and were followed, also in one answer: more in one turn leads no person. */
const MAX_QUOTED_FETCHES = 20;
/** A word of one letter stands in every message. */
const MIN_CHARS = 2;

/** Remembers what it has read of a conversation: a question costs its words, not the whole history. */
export interface Endorsement {
  /** The text stands in a message of the operator, as words of its own. */
  isNamed(text: string, state: SessionState): boolean;
  /** The address stands in what a tool returned: following it tells its server that the page was read, and no more. */
  isQuoted(url: string, state: SessionState, call: CallId): boolean;
  /** Where what nobody vouches for came from, in words, each once. */
  sources(state: SessionState): readonly string[];
}

export function createEndorsement(): Endorsement {
  // One walk for all three: finding out that a list is the old one, longer, is what costs.
  const read = growingReduce<Message, Known>(
    ({ spoken, returned, sources }, message) => ({
      spoken: added(spoken, trustedText(message), RUNS),
      returned: message.role === "tool" ? added(returned, textOf(message), HOSTS) : returned,
      sources: withSource(sources, sourceOf(message)),
    }),
    { spoken: EMPTY, returned: EMPTY, sources: [] },
  );
  return {
    isNamed: (text, { messages }) => {
      const words = text.trim();
      return words.length >= MIN_CHARS && isSaid(words, read(messages).spoken, RUNS);
    },
    isQuoted: (url, { messages, turn }, call) =>
      turn !== undefined &&
      fetchedLately(messages) + fetchedBefore(turn, call) < MAX_QUOTED_FETCHES &&
      isSaid(url, read(messages).returned, HOSTS),
    sources: ({ messages }) => read(messages).sources,
  };
}

interface Known {
  readonly spoken: Index;
  readonly returned: Index;
  readonly sources: readonly string[];
}

function withSource(sources: readonly string[], source: string | undefined): readonly string[] {
  return source === undefined || sources.includes(source) ? sources : [...sources, source];
}

/** Texts, and in which of them a key stands. It grows with its conversation and is shared by what follows. */
interface Index {
  readonly texts: readonly string[];
  readonly byKey: ReadonlyMap<string, readonly number[]>;
}

const EMPTY: Index = { texts: [], byKey: new Map() };
/** Where a text stands in another as words of its own, its letters and digits stand as whole runs. */
const RUNS = /[A-Za-z0-9]+/g;
const HOSTS = /https?:\/\/[^\s/?#"'<>()]+/g;

function added(index: Index, text: string, keys: RegExp): Index {
  if (text === "") return index;
  const { texts, byKey } = index === EMPTY ? { texts: [], byKey: new Map<string, number[]>() } : (index as Growing);
  const number = texts.push(text) - 1;
  for (const key of new Set(text.match(keys))) {
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [number]);
    else known.push(number);
  }
  return { texts, byKey };
}

interface Growing {
  readonly texts: string[];
  readonly byKey: Map<string, number[]>;
}

/** Only texts that hold the rarest of its keys are looked into. */
function isSaid(what: string, { texts, byKey }: Index, keys: RegExp): boolean {
  const found = what.match(keys);
  if (found === null) return texts.some((text) => says(text, what));
  let fewest: readonly number[] | undefined;
  for (const key of found) {
    const holders = byKey.get(key);
    if (holders === undefined) return false;
    if (fewest === undefined || holders.length < fewest.length) fewest = holders;
  }
  return fewest?.some((number) => says(texts[number] ?? "", what)) === true;
}

function fetchedLately(messages: readonly Message[]): number {
  let fetched = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (message.role === "user") break;
    if (message.role === "tool" && message.name === "web_fetch") fetched += 1;
  }
  return fetched;
}

/** Calls of one answer are judged together: those that stand before this one have no result yet. */
function fetchedBefore({ calls }: TurnState, id: CallId): number {
  const place = calls.findIndex(({ call }) => call.callId === id);
  return calls
    .slice(0, Math.max(0, place))
    .filter(({ call, status }) => call.name === "web_fetch" && status !== "finished").length;
}

/** What others wrote is in the message too when they are quoted in it; its marks say so for all of it. */
function trustedText(message: Message): string {
  const isOperators = message.role === "user" && message.from.kind === "person" && message.integrity === undefined;
  return isOperators ? textOf(message) : "";
}

function textOf(message: Message): string {
  return message.role === "notice"
    ? message.text
    : message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
