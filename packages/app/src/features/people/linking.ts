/** `/link`: a person adds an account of theirs, with a code that one chat gives and the other sends. */
import type { Address, AgentOptions, Clock, InboundMessage, MessageBus } from "@margay/core";
import { type PersonId, sessionKeyOf, visible } from "@margay/core/internal";
import { isOwnEntrance } from "../../host/operator.ts";
import { newCode, TRIES, VALID_MS } from "../../host/pairing.ts";
import type { Identity, People } from "../../host/people.ts";
import { linkIdentity, type LinkOptions, nameOf } from "./link-identity.ts";

type Asked = Parameters<NonNullable<AgentOptions["link"]>>[0];

export interface LinkingOptions extends LinkOptions {
  readonly people: Pick<People, "speaker">;
  /** Called when something is sent, when the agent exists. */
  readonly send: MessageBus["send"];
  /** Of a reply. */
  readonly nextId: () => string;
  readonly clock: Pick<Clock, "now">;
}

export interface Linking {
  /** @returns what is answered; undefined: others may read along. */
  readonly asked: NonNullable<AgentOptions["link"]>;
  /**
   * A stranger may send a code: it is all they can say.
   * @returns what they are told; undefined: it is none, and nobody waits for one.
   */
  readonly byStranger: (message: InboundMessage) => Promise<string | undefined>;
}

interface Chat {
  readonly session: string;
  readonly to: Address;
}

/** A code, for whom it is and which chat gave it. In memory: who ends the process asks for another one. */
interface Offer extends Chat {
  readonly code: string;
  readonly person: PersonId;
  readonly by: Identity;
  readonly expiresAt: number;
  /** It was sent, and the chat that gave it is asked. */
  sent?: Chat & { readonly identity: Identity };
}

/** The answer to who used a code, for when the same message comes again. */
interface Used {
  readonly who: string;
  readonly answer: Promise<string>;
  readonly expiresAt: number;
}

interface Open extends LinkingOptions {
  /** One for each person, the newest. */
  readonly offers: Map<PersonId, Offer>;
  /** By code. */
  readonly used: Map<string, Used>;
  wrong: number;
}

const CODE = /^[a-z2-9]{8}$/;

export function createLinking(options: LinkingOptions): Linking {
  const open: Open = { ...options, offers: new Map(), used: new Map(), wrong: 0 };
  return {
    asked: async (asked) => {
      const { by, origin, chat, word } = asked;
      if (by.bot === true || !(isOwnEntrance(origin.channel) || chat === "private")) return undefined;
      forget(open);
      if (word === undefined) return offer(open, asked);
      if (word === "yes" || word === "no") return decide(open, asked, word === "yes");
      return CODE.test(word) ? redeem(open, asked, word.toUpperCase()) : options.t("people.link.wrong");
    },
    byStranger: async ({ from, origin, chat, parts }) => {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      const [, word = ""] = /^\s*\/link\s+(\S+)\s*$/i.exec(text) ?? [];
      forget(open);
      const isWaited = open.offers.size + open.used.size > 0;
      if (from.bot === true || chat !== "private" || !isWaited || !CODE.test(word.toLowerCase())) return undefined;
      return redeem(open, { by: from, origin, session: sessionKeyOf(origin), chat }, word.toUpperCase());
    },
  };
}

/** The first chat asks. */
function offer(open: Open, { by, origin, session }: Asked): string {
  const { people, offers, audit, clock, t } = open;
  const identity = { channel: origin.channel, sender: by.id };
  const speaker = people.speaker(identity.channel, identity.sender);
  if (speaker?.person === undefined) return t("people.link.wrong");
  const { person, role } = speaker;
  const code = newCode();
  offers.set(person, { code, person, by: identity, session, to: origin, expiresAt: clock.now() + VALID_MS });
  audit.record("link.offered", { person, by: nameOf(identity) });
  return t(role === "operator" ? "people.link.code.operator" : "people.link.code", { code });
}

/** The other chat sends the code. Nothing is waited for before the code is taken out: it is for one. */
async function redeem(open: Open, asked: Asked, code: string): Promise<string> {
  const { people, offers, used, audit, t } = open;
  const identity = { channel: asked.origin.channel, sender: asked.by.id };
  const who = nameOf(identity);
  const before = used.get(code);
  if (before?.who === who) return before.answer;
  const found = [...offers.values()].find((one) => one.code === code);
  const giver = found && people.speaker(found.by.channel, found.by.sender);
  // Whoever was taken out of the lists meanwhile gives no code any more.
  if (found === undefined || giver?.person !== found.person) return wrongTry(open, identity);
  const { person, sent } = found;
  if (sent !== undefined)
    return nameOf(sent.identity) === who ? t("people.link.asked", shown(found, who)) : wrongTry(open, identity);
  const known = people.speaker(identity.channel, identity.sender)?.person;
  if (known === person) return t("people.link.already", shown(found, who));
  if (known !== undefined) {
    offers.delete(person);
    audit.record("link.refused", { person, ...identity, why: "taken" });
    return t("people.link.taken", shown(found, who));
  }
  if (giver.role === "operator") return askFirst(open, found, { identity, session: asked.session, to: asked.origin });
  offers.delete(person);
  const answer = linkTold(open, found, identity);
  used.set(code, { who, answer, expiresAt: found.expiresAt });
  return answer;
}

/** A code that was read over a shoulder does not make an operator. */
async function askFirst(open: Open, found: Offer, sent: NonNullable<Offer["sent"]>): Promise<string> {
  const who = nameOf(sent.identity);
  found.sent = sent;
  try {
    await tell(open, found, open.t("people.link.ask", shown(found, who)));
  } catch (error) {
    delete found.sent; // nobody was asked
    throw error;
  }
  return open.t("people.link.asked", shown(found, who));
}

/** The first chat is told before it holds: nobody is linked unseen, wherever this is cut off. */
async function linkTold(open: Open, found: Offer, identity: Identity): Promise<string> {
  const values = shown(found, nameOf(identity));
  await tell(open, found, open.t("people.link.told", values));
  if (await linkIdentity(open, found.person, identity, nameOf(found.by))) return open.t("people.link.done", values);
  await tell(open, found, open.t("people.link.failed", values));
  return open.t("people.link.failed", values);
}

/** The first chat says yes or no. */
async function decide(open: Open, { by, origin, session }: Asked, isYes: boolean): Promise<string> {
  const { people, offers, audit, t } = open;
  const person = people.speaker(origin.channel, by.id)?.person;
  const found = [...offers.values()].find((one) => one.person === person && one.session === session);
  if (found?.sent === undefined) return t("people.link.nothing");
  const { identity, ...chat } = found.sent;
  const values = shown(found, nameOf(identity));
  offers.delete(found.person);
  if (!isYes) {
    audit.record("link.refused", { person: found.person, ...identity, why: "declined" });
    return t("people.link.declined", values);
  }
  if (!(await linkIdentity(open, found.person, identity, nameOf(found.by)))) return t("people.link.failed", values);
  await tell(open, chat, t("people.link.done", values));
  return t("people.link.done", values);
}

/** Guesses are bounded as those of pairing are: after five of them every open code is void. */
function wrongTry(open: Open, identity: Identity): string {
  const { offers, audit, t } = open;
  open.wrong += offers.size > 0 ? 1 : 0;
  if (open.wrong >= TRIES) {
    offers.clear();
    audit.record("link.refused", { ...identity, why: "tries" });
  }
  if (offers.size === 0) open.wrong = 0;
  return t("people.link.wrong");
}

function forget({ offers, used, clock }: Open): void {
  const now = clock.now();
  for (const [person, { expiresAt }] of offers) if (isOver(expiresAt, now)) offers.delete(person);
  for (const [code, { expiresAt }] of used) if (isOver(expiresAt, now)) used.delete(code);
}

/** Also when the clock was set back: it is older than it looks. */
function isOver(expiresAt: number, now: number): boolean {
  return expiresAt <= now || expiresAt > now + VALID_MS;
}

async function tell({ send, nextId }: Open, { session, to }: Chat, text: string): Promise<void> {
  await send(session, { reply: nextId(), to, kind: "message", parts: [{ type: "text", text }] });
}

function shown({ person }: Offer, who: string): { readonly person: string; readonly who: string } {
  return { person, who: visible(who) };
}
