// Every route of the emulator with every field that Discord knows.

import type { Fields } from "./fields.ts";
import { CALLBACK, callBack, COMMANDS, followUp, type Interaction, putCommands } from "./interactions.ts";
import {
  type Call,
  CREATE,
  createMessage,
  deleteMessage,
  editMessage,
  readMessages,
  writable,
  WRITTEN,
} from "./messages.ts";
import { refusal } from "./refusal.ts";
import type { World } from "./world.ts";

/** What routes need beside the call. */
export interface Surroundings {
  readonly interactions: ReadonlyMap<string, Interaction>;
  readonly identifiesLeft: () => number;
  readonly typing: string[];
  readonly reactions: { readonly message: string; readonly emoji: string }[];
}

export interface Route {
  /** As the journal names it. */
  readonly name: string;
  readonly pattern: URLPattern;
  readonly fields: Fields;
  /** The body is a list of such objects. */
  readonly list?: true;
  /** No token is asked for: the address holds one. */
  readonly open?: true;
  readonly act: (call: Call, around: Surroundings) => unknown;
}

const NONE: Fields = {};
const PAGE: Fields = { after: "snowflake", before: "snowflake", around: "snowflake", limit: "integer" };
const MESSAGES = "/channels/:channel/messages";
const WEBHOOK = "/webhooks/:app/:token";

export const ROUTES: readonly Route[] = [
  route("GET /users/@me", NONE, ({ world }) => world.me),
  route("GET /applications/@me", NONE, ({ world: { me } }) => ({ id: me.id, name: me.username, bot: me })),
  route("GET /gateway", NONE, ({ world }) => ({ url: socketOf(world) })),
  route("GET /gateway/bot", NONE, ({ world }, { identifiesLeft }) => ({
    url: socketOf(world),
    shards: 1,
    session_start_limit: { total: 1000, remaining: identifiesLeft(), reset_after: 3_600_000, max_concurrency: 1 },
  })),
  route("GET /channels/:channel", NONE, ({ world, path }) => world.room(path["channel"] ?? "").channel),
  route(`POST ${MESSAGES}`, CREATE, createMessage),
  route(`GET ${MESSAGES}`, PAGE, readMessages),
  route(`GET ${MESSAGES}/:message`, NONE, ({ world, path }) =>
    world.message(world.room(path["channel"] ?? ""), path["message"] ?? ""),
  ),
  route(`PATCH ${MESSAGES}/:message`, WRITTEN, editMessage),
  route(`DELETE ${MESSAGES}/:message`, NONE, deleteMessage),
  route(`PUT ${MESSAGES}/:message/reactions/:emoji/@me`, NONE, ({ world, path }, { reactions }) => {
    const { id } = world.message(world.room(path["channel"] ?? ""), path["message"] ?? "");
    const emoji = decodeURIComponent(path["emoji"] ?? "");
    if (!/^\p{Extended_Pictographic}/u.test(emoji)) throw refusal(10_014);
    if (!reactions.some((one) => one.message === id && one.emoji === emoji)) reactions.push({ message: id, emoji });
    tellReaction(world, "MESSAGE_REACTION_ADD", path, emoji);
  }),
  route(`DELETE ${MESSAGES}/:message/reactions/:emoji/@me`, NONE, ({ world, path }, { reactions }) => {
    const { id } = world.message(world.room(path["channel"] ?? ""), path["message"] ?? "");
    const emoji = decodeURIComponent(path["emoji"] ?? "");
    const at = reactions.findIndex((one) => one.message === id && one.emoji === emoji);
    if (at < 0) throw refusal(10_014);
    reactions.splice(at, 1);
    tellReaction(world, "MESSAGE_REACTION_REMOVE", path, emoji);
  }),
  route("POST /channels/:channel/typing", NONE, ({ world, path }, { typing }) => {
    typing.push(writable(world, path["channel"] ?? "").id);
  }),
  route("POST /users/@me/channels", { recipient_id: "snowflake!" }, ({ world, body }) => {
    const user = world.users.get(String(body["recipient_id"]));
    if (user === undefined) throw refusal(10_013);
    if (user.bot === true) throw refusal(50_007);
    return world.dm(user).channel;
  }),
  {
    ...route("POST /interactions/:interaction/:token/callback", CALLBACK, (call, { interactions }) =>
      callBack(call, interactions.values()),
    ),
    open: true,
  },
  {
    ...route(`POST ${WEBHOOK}`, WRITTEN, (call, { interactions }) => followUp(call, interactions.values(), false)),
    open: true,
  },
  {
    ...route(`PATCH ${WEBHOOK}/messages/@original`, WRITTEN, (call, { interactions }) =>
      followUp(call, interactions.values(), true),
    ),
    open: true,
  },
  { ...route("PUT /applications/:app/commands", COMMANDS, putCommands), list: true },
  { ...route("PUT /applications/:app/guilds/:guild/commands", COMMANDS, putCommands), list: true },
];

/** The bot is told of its own, too. */
function tellReaction(world: World, type: string, path: Call["path"], emoji: string): void {
  const room = world.room(path["channel"] ?? "");
  const { id, author } = world.message(room, path["message"] ?? "");
  const where = { channel_id: room.id, message_id: id, ...(room.guild !== undefined && { guild_id: room.guild }) };
  const data = { ...where, user_id: world.me.id, message_author_id: author.id, emoji: { id: null, name: emoji } };
  world.tell({ type, data, intent: room.guild === undefined ? 1 << 13 : 1 << 10 });
}

function socketOf({ url }: World): string {
  return url.replace("http", "ws");
}

function route(name: string, fields: Fields, act: Route["act"]): Route {
  const [, path = ""] = name.split(" ");
  return { name, pattern: new URLPattern({ pathname: `/api/v10${path}` }), fields, act };
}
