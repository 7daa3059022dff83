/** How an agent takes what is said: in groups, too fast, and by a reaction alone. */
import type { Base } from "./agent-base.ts";
import { type FloodOptions, withoutFlood } from "./channels/flood.ts";
import { createReactions, type Reactions } from "./channels/reactions.ts";
import type { ChannelInbox } from "./contract/bus.ts";
import type { CommandActions } from "./control/actions.ts";
import { commandIn } from "./control/commands.ts";
import { sessionKeyOf } from "./lib/session-key.ts";
import { textOf } from "./lib/text.ts";
import type { ConnectedSessions } from "./loop/connect.ts";
import { floodText } from "./people/flood-text.ts";
import { createGroups, type Groups } from "./people/groups.ts";
import { isOwn } from "./people/audience.ts";
import { createWriting, type Write } from "./people/written.ts";

/** However much somebody writes: what stops us, and what answers a question. */
const ALWAYS_HEARD: readonly (string | undefined)[] = ["stop", "allow", "deny"];

export function unflooded(
  accept: ChannelInbox["accept"],
  { options, services: { clock, log }, settings }: Base,
  keys: FloodOptions["keys"],
  open: ConnectedSessions["open"],
): ChannelInbox["accept"] {
  const { flood: limit } = options;
  return withoutFlood(accept, {
    clock,
    limit,
    keys,
    passes: ({ control, parts }) => control !== undefined || ALWAYS_HEARD.includes(commandIn(textOf(parts))),
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

/** What is done about groups, and how a message stands in its conversation. */
export function written(
  { options: { people }, services, settings, channels }: Base,
  open: ConnectedSessions["open"],
  mayApprove: CommandActions["mayApprove"],
  reactions: Reactions,
): { readonly groups: Groups | undefined; readonly write: Write } {
  const { clock, ids, redact } = services;
  const burstMs = (id: string): number => channels.get(id)?.can.burstMs ?? 0;
  const groups =
    people === undefined
      ? undefined
      : createGroups({
          people,
          open,
          sessions: services.sessions,
          clock,
          ids,
          redact,
          burstMs,
          command: commandIn,
        });
  const write = createWriting({
    clock,
    ids,
    ...(groups !== undefined && { place: groups.place }),
    burstMs,
    reactions,
    mediaFirst: () => settings().mediaOrder === "media-first",
    redact,
    steers: ({ state }, { from, origin }) =>
      mayApprove(from, origin) || (people !== undefined && isOwn(state, people.speaker(from, origin))),
  });
  return { groups, write };
}
