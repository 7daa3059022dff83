/** Names of people in a message that was accepted: asked of its platform for a moment, and then it says them, or their ids. */
import type { Millis } from "../../contract/base.ts";
import type { Channel } from "../../contract/channel.ts";
import type { Address, Sender, UserMessage } from "../../contract/message.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import type { Clock } from "../../contract/base.ts";
import { raceAbort } from "../../lib/async/abort.ts";
import { plainName, renamed } from "./words.ts";

export interface NamingOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** Nothing else of the chat is changed, and nobody in it gets a name meanwhile. */
  readonly alone: (origin: Address, work: () => Promise<void>) => Promise<void>;
  /** How somebody is called in a group. @param state absent: of the conversation of that chat. */
  readonly label: (from: Sender, origin: Address, state?: SessionState) => Promise<string>;
}

/** A turn waits no longer for a name. */
const MOMENT_MS: Millis = 1000;

/** @throws the reason of the signal; what a journal throws. */
export async function nameAll(
  session: Session,
  id: string,
  options: NamingOptions,
  signal: AbortSignal,
): Promise<void> {
  const { unnamed } = foundIn(session.state, id)?.message ?? {};
  if (unnamed === undefined) return;
  const names = await namesOf(unnamed.ids, options.channel(unnamed.origin.channel), options, signal);
  await options.alone(unnamed.origin, async () => {
    const found = foundIn(session.state, id); // as it is now: its author may have changed it
    if (found?.message.unnamed !== undefined) await session.commit(...(await saidWith(names, found, session, options)));
  });
}

interface Found {
  readonly message: UserMessage;
  /** What it answers. */
  readonly before?: UserMessage | undefined;
  /** It stands under a name that is one of the group. */
  readonly isLabelled: boolean;
  readonly isHeard: boolean;
}

function foundIn({ pending, heard = [] }: SessionState, id: string): Found | undefined {
  const item = pending.find(({ message }) => message.id === id);
  if (item !== undefined)
    return { message: item.message, before: item.heard, isLabelled: item.speaker !== undefined, isHeard: false };
  const line = heard.find(({ message }) => message.id === id);
  return line && { message: line.message, isLabelled: true, isHeard: true };
}

/** What is known when the moment is over. */
async function namesOf(
  ids: readonly string[],
  channel: Channel | undefined,
  { clock, redact }: NamingOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const asked = ids.map(async (id) => {
    const name = plainName(redact((await channel?.nameOf?.(id, "person", signal)) ?? ""));
    if (name !== "") names.set(id, name);
  });
  const late = Promise.withResolvers<void>();
  using _late = clock.timer(MOMENT_MS, () => late.resolve());
  await raceAbort(Promise.race([Promise.allSettled(asked), late.promise]), signal);
  return new Map(names);
}

async function saidWith(
  names: ReadonlyMap<string, string>,
  { message, before, isLabelled, isHeard }: Found,
  { state }: Session,
  { label }: NamingOptions,
): Promise<readonly JournalRecord[]> {
  const { name: _name, ...from } = message.from;
  const name = names.get(from.id);
  const origin = message.unnamed?.origin;
  const own =
    name === undefined || origin === undefined || !isLabelled
      ? name
      : await label({ ...from, name }, origin, isHeard ? undefined : state);
  const answered = before && renamed(before, names);
  // What it answers first: the list of conversations shows who spoke last, and what.
  return [
    ...(answered === undefined || JSON.stringify(answered) === JSON.stringify(before)
      ? []
      : [{ type: "message.edited", message: answered } as const]),
    { type: "message.edited", message: renamed(message, names, own) },
  ];
}
