/** How an agent takes what is said: in groups, too fast, and by a reaction alone. */
import type { Base } from "./agent-base.ts";
import { type FloodOptions, withoutFlood } from "./channels/flood.ts";
import type { FetchingOptions } from "./channels/media/fetching.ts";
import { createReactions, type Reactions } from "./channels/afterwards/reactions.ts";
import type { ChannelInbox } from "./contract/bus.ts";
import { commandIn } from "./control/commands.ts";
import { createEdits, type EditsOptions } from "./control/edits.ts";
import { sessionKeyOf } from "./lib/session-key.ts";
import { textOf } from "./lib/text.ts";
import type { ConnectedSessions } from "./loop/connect.ts";
import type { Groups } from "./people/groups.ts";
import { floodText } from "./people/flood-text.ts";

/** However much somebody writes: what stops us, and what answers a question. */
const ALWAYS_HEARD: readonly (string | undefined)[] = ["stop", "allow", "approve", "deny"];

export function unflooded(
  accept: ChannelInbox["accept"],
  { options, services: { clock, log }, settings }: Base,
  keys: FloodOptions["keys"],
  open: ConnectedSessions["open"],
): ChannelInbox["accept"] {
  const { flood: limit, people } = options;
  return withoutFlood(accept, {
    clock,
    limit,
    keys,
    // Of the house nothing is forgotten: what they write meanwhile waits, and is answered together.
    passes: ({ control, parts, from, origin }) =>
      (people !== undefined && people.speaker(from, origin).role !== "guest") ||
      control !== undefined ||
      ALWAYS_HEARD.includes(commandIn(textOf(parts))),
    tell: async (message) => {
      const { origin, replyTo: to = origin, sessionKey = sessionKeyOf(origin), from, key } = message;
      log.warn("inbox.flood", { channel: origin.channel, sender: from.id });
      const session = await open(sessionKey, origin);
      const text = floodText(message, limit?.count ?? 0, settings().language);
      const parts = [{ type: "text", text }] as const;
      await session.commit({
        type: "reply.queued",
        reply: `flood:${origin.channel}:${key}`,
        to,
        kind: "message",
        parts,
      });
    },
  });
}

export function reactionsOf({ services, channels }: Base, find: ConnectedSessions["find"]): Reactions {
  const { clock, policy, sessions } = services;
  return createReactions({
    clock,
    admit: policy.admit.bind(policy),
    sessions,
    find,
    tells: (id) => channels.get(id)?.can.reactions === "tell",
  });
}

/** Loaded when it happens. */
export function undeliveredOf({ services }: Base, find: ConnectedSessions["find"]): Pick<ChannelInbox, "undelivered"> {
  return {
    undelivered: async (lost) => {
      const { noteUndelivered } = await import("./channels/afterwards/undelivered.ts");
      return noteUndelivered(lost, { ...services, find });
    },
  };
}

/** What is done about what was said and is changed. */
export function editsOf(
  { services }: Base,
  {
    groups,
    ...given
  }: Omit<EditsOptions, "admit" | "sessions" | "command" | "groups"> & {
    readonly groups: EditsOptions["groups"] | undefined;
  },
): ReturnType<typeof createEdits> {
  const { policy, sessions } = services;
  return createEdits({
    ...given,
    admit: policy.admit.bind(policy),
    sessions,
    ...(groups !== undefined && { groups }),
    command: commandIn,
  });
}

export type Naming = Pick<FetchingOptions, "alone" | "label">;

/** How somebody gets a name after they spoke. */
export function namingOf(groups: Groups | undefined, alone: ReturnType<typeof createEdits>["alone"]): Naming {
  return {
    alone: (origin, work) => alone(origin, () => (groups === undefined ? work() : groups.alone(origin, work))),
    label: async (from, origin, state) => groups?.label({ from, origin }, state) ?? from.name ?? from.id,
  };
}

/** Whether what somebody says is for us, before it is said. */
export function admitsOf({ services: { policy } }: Base, groups: Groups | undefined): ChannelInbox["admits"] {
  return async ({ from, origin, chat, ...said }) => {
    // Not as a private word: that would give a stranger a code before they said anything.
    const asked = { key: "", from, origin, parts: [], ...(chat === "group" && { chat }) };
    const { ok } = await policy.admit(asked);
    if (!ok || chat !== "group" || groups === undefined) return ok;
    return (await groups.gate({ ...said, ...asked, parts: said.parts ?? [] }, ok)) === "answer";
  };
}
