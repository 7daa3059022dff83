/** Codes by which an operator admits a stranger: 8 characters, 10 minutes, 5 wrong tries, one exact sender id. */
import { randomInt } from "node:crypto";
import { type Clock } from "@margay/core";
import { changeDoc, systemClock, type Docs } from "@margay/core/internal";
import type { Places } from "../config/paths.ts";

export interface Pairing {
  has(channel: string, sender: string): boolean;
  /** A new code, or undefined while an earlier one of this sender is valid (at most one in 10 minutes), or three of the channel are younger than a minute. */
  offer(channel: string, sender: string, about?: Stranger): Promise<string | undefined>;
  /** Admits the sender of the code. @returns who was admitted; undefined for a wrong or expired code. */
  accept(code: string, role?: Role): Promise<Paired | undefined>;
  /** Voids a code; its sender may ask for another one. @returns false when there is none. */
  reject(code: string): Promise<boolean>;
  /** Codes that are valid now, oldest first. */
  offers(): readonly Offer[];
  remove(channel: string, sender: string): Promise<boolean>;
  /** Another role or name for somebody who is paired. @returns false when nobody of that id is. */
  change(channel: string, sender: string, change: { readonly role?: Role; readonly name?: string }): Promise<boolean>;
  /** Whether the sender answers approvals like the operator at the machine. */
  isOperator(channel: string, sender: string): boolean;
  list(): readonly Paired[];
}
export type Role = "paired" | "operator";

/** What a stranger said of itself; it proves nothing. */
export interface Stranger {
  readonly name?: string;
  readonly firstText?: string;
}
export interface Paired {
  readonly channel: string;
  readonly sender: string;
  /** Default: paired. */
  readonly role?: Role;
  readonly name?: string;
  readonly pairedAt?: number;
}

export interface Offer extends Stranger {
  readonly channel: string;
  readonly sender: string;
  readonly code: string;
  readonly at?: number;
  readonly expiresAt: number;
}
interface Store {
  readonly paired: readonly Paired[];
  readonly offers: readonly Offer[];
  readonly wrong: number;
}

/** No letters or digits that are read as each other. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_CHARS = 8;
/** How long a code is valid. */
export const VALID_MS = 600_000;
/** Wrong ones, until all that are open are void. */
export const TRIES = 5;
/** Strangers that wait at once: sender ids cost nothing where they can be made up. */
const MAX_OFFERS = 100;
/** Of one channel: who makes up senders gets no page full of codes. */
const CODES_PER_MINUTE = 3;
const MINUTE_MS = 60_000;
const CLOCK_SLACK_MS = 60_000;
const NAME = "channels/pairing.json";
const MAX_NAME_CHARS = 100;
const MAX_TEXT_CHARS = 200;
const EMPTY: Store = { paired: [], offers: [], wrong: 0 };

/** Other processes read and write it too: it is read anew for each question. */
export function openPairing(docs: Docs, clock: Pick<Clock, "now">): Pairing {
  const load = (): Store | undefined => {
    try {
      return storeIn(docs.peek(NAME)?.body, clock.now());
    } catch {
      return undefined; // not ours to read
    }
  };
  /** @param make The store as it is to be, and what came of it. What cannot be read stays as it is: who wrote then would lose everybody that was paired. */
  const changing = async <Result>(
    otherwise: Result,
    make: (store: Store) => readonly [Store, Result] | undefined,
  ): Promise<Result> => {
    if (load() === undefined) return otherwise;
    return changeDoc<Result>(docs, NAME, (body) => {
      const store = storeIn(body, clock.now());
      const made = store && make(store);
      if (made === undefined) return [body, otherwise];
      const [next, result] = made;
      return [next === store ? body : `${JSON.stringify(next, null, 2)}\n`, result];
    });
  };
  return {
    has: (channel, sender) => load()?.paired.some((item) => same(item, channel, sender)) === true,
    offer: (channel, sender, about = {}) =>
      changing<string | undefined>(undefined, (store) => {
        if (store.offers.some((item) => same(item, channel, sender))) return undefined;
        const now = clock.now();
        const fresh = store.offers.filter(({ channel: of, at = 0 }) => of === channel && now - at < MINUTE_MS);
        if (store.offers.length >= MAX_OFFERS || fresh.length >= CODES_PER_MINUTE) return undefined;
        const offer = newOffer(channel, sender, about, now);
        return [{ ...store, offers: [...store.offers, offer] }, offer.code];
      }),
    accept: (code, role = "paired") =>
      changing<Paired | undefined>(undefined, (store) => {
        const offer = store.offers.find((item) => item.code === code.trim().toUpperCase());
        if (offer === undefined) return store.offers.length > 0 ? [afterWrongGuess(store), undefined] : undefined;
        const offers = store.offers.filter((item) => item !== offer);
        const paired = [...store.paired, pairedFrom(offer, role, clock.now())];
        return [
          { paired, offers, wrong: 0 },
          { channel: offer.channel, sender: offer.sender },
        ];
      }),
    reject: (code) =>
      changing(false, (store) => {
        const offers = store.offers.filter((item) => item.code !== code.trim().toUpperCase());
        return offers.length === store.offers.length ? undefined : [{ ...store, offers }, true];
      }),
    offers: () => load()?.offers ?? [],
    change: (channel, sender, { role, name }) =>
      changing(false, (store) => {
        if (!store.paired.some((item) => same(item, channel, sender))) return undefined;
        const paired = store.paired.map((item) =>
          same(item, channel, sender)
            ? { ...item, ...(role !== undefined && { role }), ...(name !== undefined && { name }) }
            : item,
        );
        return [{ ...store, paired }, true];
      }),
    isOperator: (channel, sender) =>
      load()?.paired.some((item) => same(item, channel, sender) && item.role === "operator") === true,
    remove: (channel, sender) =>
      changing(false, (store) => {
        const paired = store.paired.filter((item) => !same(item, channel, sender));
        return paired.length === store.paired.length ? undefined : [{ ...store, paired }, true];
      }),
    list: () => load()?.paired ?? [],
  };
}

/** Eight characters that a person can read aloud. */
export function newCode(): string {
  return Array.from({ length: CODE_CHARS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
}

function newOffer(channel: string, sender: string, { name, firstText }: Stranger, at: number): Offer {
  return {
    channel,
    sender,
    code: newCode(),
    at,
    expiresAt: at + VALID_MS,
    ...(name !== undefined && { name: name.slice(0, MAX_NAME_CHARS) }),
    ...(firstText !== undefined && { firstText: firstText.slice(0, MAX_TEXT_CHARS) }),
  };
}

function pairedFrom({ channel, sender, name }: Offer, role: "paired" | "operator", pairedAt: number): Paired {
  return {
    channel,
    sender,
    ...(role === "operator" && { role }),
    ...(name !== undefined && { name }),
    pairedAt,
  };
}

/** After five of them every open code is void. */
function afterWrongGuess(store: Store): Store {
  const wrong = store.wrong + 1;
  return wrong >= TRIES ? { ...store, offers: [], wrong: 0 } : { ...store, wrong };
}

function same(item: Pick<Paired, "channel" | "sender">, channel: string, sender: string): boolean {
  return item.channel === channel && item.sender === sender;
}

/**
 * An unreadable store admits nobody; configured ids do not depend on it.
 * @returns undefined for it.
 */
function storeIn(body: string | undefined, now: number): Store | undefined {
  if (body === undefined) return EMPTY;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { paired, offers, wrong } = value as Partial<Record<keyof Store, unknown>>;
  if (!Array.isArray(paired)) return undefined;
  return {
    paired: paired.filter(isPaired),
    offers: Array.isArray(offers)
      ? offers.filter(
          (item): item is Offer =>
            isPaired(item) &&
            "code" in item &&
            "expiresAt" in item &&
            typeof item.expiresAt === "number" &&
            item.expiresAt > now &&
            item.expiresAt <= now + VALID_MS + CLOCK_SLACK_MS, // else the clock was set back, and it is older than it looks
        )
      : [],
    wrong: typeof wrong === "number" ? wrong : 0,
  };
}

function isPaired(value: unknown): value is Paired {
  return (
    typeof value === "object" &&
    value !== null &&
    "channel" in value &&
    typeof value.channel === "string" &&
    "sender" in value &&
    typeof value.sender === "string"
  );
}

/** Of a state directory. The running process reads the same, anew for each sender. */
export function pairedSenders({ docs }: Pick<Places, "docs">): Pairing {
  return openPairing(docs, systemClock());
}
