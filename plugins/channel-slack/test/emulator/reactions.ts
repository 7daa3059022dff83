// What is put below messages: by name, each once by each. The app is told of its own, too.

import type { Wire } from "./http.ts";
import type { Call, Method } from "./method.ts";
import { refuse } from "./refusal.ts";

/** Slack takes no more of one user below one message. */
const MOST = 23;

export const REACTIONS: Readonly<Record<string, Method>> = {
  "reactions.add": { args: ["channel", "timestamp", "name"], scope: "reactions:write", act: add },
  "reactions.remove": {
    args: ["channel", "timestamp", "name", "file", "file_comment"],
    scope: "reactions:write",
    act: remove,
  },
};

function add(call: Call): Wire {
  const { reactions, name } = about(call);
  if (reactions.includes(name)) throw refuse("already_reacted");
  if (reactions.length >= MOST) throw refuse("too_many_reactions");
  reactions.push(name);
  return told(call, "reaction_added");
}

function remove(call: Call): Wire {
  const { reactions, name } = about(call);
  if (!reactions.includes(name)) throw refuse("no_reaction");
  reactions.splice(reactions.indexOf(name), 1);
  return told(call, "reaction_removed");
}

/** The app's own, below that message. */
function about({ world, args }: Call): { readonly reactions: string[]; readonly name: string } {
  const message = world.channel(args["channel"]).messages.get(args["timestamp"] ?? "");
  const name = args["name"] ?? "";
  if (args["timestamp"] === undefined) throw refuse("no_item_specified");
  if (message === undefined) throw refuse("message_not_found");
  if (!/^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$/.test(name)) throw refuse("invalid_name");
  message.reactions ??= [];
  return { reactions: message.reactions, name };
}

function told({ world, args }: Call, type: "reaction_added" | "reaction_removed"): Wire {
  const { channel, timestamp: ts, name: reaction } = args;
  const author = world.channel(channel).messages.get(ts ?? "")?.user;
  world.tell({
    type,
    user: world.me.id,
    reaction,
    item: { type: "message", channel, ts },
    ...(author !== undefined && { item_user: author }),
    event_ts: world.ts(),
  });
  return {};
}
