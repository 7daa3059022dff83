/** Whoever sends the code of an invitation is that person from then on. It is judged at the door: the code reaches no journal, log or model. */
import type { InboundMessage, MessageBus } from "@margay/core";
import { type PeopleOptions, sessionKeyOf, visible } from "@margay/core/internal";
import { type Identity, OWNER, type People, roleIn } from "../../host/people.ts";
import type { Invitation, Invitations } from "./invitations.ts";
import { linkIdentity, type LinkOptions, nameOf } from "./link-identity.ts";

export interface InvitedOptions extends LinkOptions {
  readonly people: Pick<People, "speaker">;
  readonly invitations: Invitations;
  /** The owner's private chat. */
  readonly contact: PeopleOptions["contact"];
  /** Called when something is sent, when the agent exists. */
  readonly send: MessageBus["send"];
  /** Of a message to the owner. */
  readonly nextId: () => string;
}

/** @returns what the sender is told; undefined: it is no code, and goes on as any message. */
export type Invited = (message: InboundMessage) => Promise<string | undefined>;

interface Open extends InvitedOptions {
  /** By code: the same message may come again while it is worked on. */
  readonly linking: Map<string, Promise<string>>;
}

/** As an app sends it that follows a link, as a person types it, or the code alone. Beside other lines too: some send in pieces. */
const IN_COMMAND = /^[ \t]*\/(?:start|link)[ \t]+([a-z2-9]{8})[ \t]*$/im;
const ALONE = /^[ \t]*([A-HJ-NP-Z2-9]{8})[ \t]*$/m;

export function createInvited(options: InvitedOptions): Invited {
  const open: Open = { ...options, linking: new Map() };
  return async ({ from, origin, chat, parts }) => {
    if (chat !== "private" || from.kind !== "person" || from.bot === true) return undefined;
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    const code = (IN_COMMAND.exec(text) ?? ALONE.exec(text))?.[1]?.toUpperCase();
    if (code === undefined) return undefined;
    return redeem(open, { channel: origin.channel, sender: from.id }, code, /^\s*\/link\s/i.test(text));
  };
}

/** @param isLink It may be a code of `/link` as well. */
async function redeem(open: Open, identity: Identity, code: string, isLink: boolean): Promise<string | undefined> {
  const { invitations, people, t } = open;
  const who = nameOf(identity);
  const found = invitations.find(code);
  const known = people.speaker(identity.channel, identity.sender)?.person;
  if (found === undefined) {
    if (known !== undefined || !invitations.isOpen()) return undefined;
    await wrongTry(open, identity);
    return isLink ? undefined : t("people.invite.wrong");
  }
  const values = { who: visible(who), name: known ?? "" };
  if (known !== undefined) {
    if (found.usedBy !== who) return t("people.invite.known", values);
    if (found.done !== true) await invitations.done(code); // it ended between the file and this
    return t("people.invite.done", values);
  }
  // Also when they were taken out, or made an operator meanwhile: a code that others may have read makes none.
  if (roleIn(open.loaded().config, found.person) !== "member") return t("people.invite.wrong");
  if (!(await invitations.use(code, who))) {
    await wrongTry(open, identity);
    return t("people.invite.wrong");
  }
  const answer = open.linking.get(code) ?? link(open, found, identity, code);
  open.linking.set(code, answer);
  return answer.finally(() => open.linking.delete(code));
}

/** The owner is told before it holds: nobody is let in unseen, wherever this is cut off. */
async function link(open: Open, { person }: Invitation, identity: Identity, code: string): Promise<string> {
  const { invitations, t } = open;
  const values = { who: visible(nameOf(identity)), name: person };
  await tellOwner(open, t("people.invite.told", values));
  if (await linkIdentity(open, person, identity, "invitation")) {
    await invitations.done(code);
    return t("people.invite.done", values);
  }
  await tellOwner(open, t("people.invite.failed", values));
  return t("people.invite.failed", values);
}

/** Where they can be told: else the list of persons and the audit log say it. */
async function tellOwner({ contact, send, nextId }: Open, text: string): Promise<void> {
  const to = await contact?.(OWNER);
  if (to === undefined) return;
  await send(sessionKeyOf(to), { reply: nextId(), to, kind: "message", parts: [{ type: "text", text }] });
}

async function wrongTry({ invitations, audit }: Open, identity: Identity): Promise<void> {
  if (await invitations.wrong()) audit.record("link.refused", { ...identity, why: "tries" });
}
