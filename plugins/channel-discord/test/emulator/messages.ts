// What the bot does with messages.

import { type APIMessage, MessageFlags, MessageReferenceType, MessageType } from "discord-api-types/v10";

import type { Fields } from "./fields.ts";
import type { Upload } from "./http.ts";
import { invalid, Refusal, refusal } from "./refusal.ts";
import { withoutContent } from "./sessions.ts";
import type { Draft, Room, World } from "./world.ts";

/** A request that has passed its table. */
export interface Call {
  readonly world: World;
  readonly path: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, Upload>;
  readonly nonces: Nonces;
  /** Whether the application may read what people write in guilds. */
  readonly messageContent: boolean;
}

/** What a client has called its messages lately. */
export type Nonces = Map<string, { readonly message: APIMessage; readonly at: number }>;

const ALLOWED_MENTIONS: Fields = {
  parse: ["string"],
  roles: ["snowflake"],
  users: ["snowflake"],
  replied_user: "boolean",
};
const ATTACHMENTS: Fields = { id: "any", filename: "string", description: "string", title: "string" };

/** What a message may have that is made or changed. */
export const WRITTEN: Fields = {
  content: "string",
  embeds: ["any"],
  flags: "integer",
  components: ["any"],
  allowed_mentions: ALLOWED_MENTIONS,
  attachments: [ATTACHMENTS],
};
export const CREATE: Fields = {
  ...WRITTEN,
  nonce: "nonce",
  enforce_nonce: "boolean",
  tts: "boolean",
  sticker_ids: ["snowflake"],
  poll: "any",
  message_reference: {
    type: "integer",
    message_id: "snowflake!",
    channel_id: "snowflake",
    guild_id: "snowflake",
    fail_if_not_exists: "boolean",
  },
};

const MAX_TEXT = 2000;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 10;
/** So long a nonce is known. */
const NONCE_MS = 180_000;
const FLAGS = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications | MessageFlags.Ephemeral;

/** The same nonce again is the same message, when it is enforced. */
export function createMessage(call: Call): APIMessage {
  const { world, path, body, nonces } = call;
  const room = writable(world, path["channel"] ?? "", call.files.size > 0);
  const nonce = body["nonce"];
  const key = `${room.id} ${String(nonce)}`;
  const before = nonces.get(key);
  if (body["enforce_nonce"] === true && before !== undefined && before.at > world.now() - NONCE_MS)
    return { ...before.message, nonce: nonce as string };
  const message = world.say(room, world.me, draftOf(call, room));
  if (nonce !== undefined) nonces.set(key, { message, at: world.now() });
  return { ...message, ...(nonce !== undefined && { nonce: nonce as string | number }) }; // its kind was checked
}

/** What is said by a body. @throws Refusal for what Discord would not take. */
export function draftOf({ body, files }: Call, room: Room): Draft {
  const content = textOf(body["content"]);
  const flags = Number(body["flags"] ?? 0);
  if ((flags & ~FLAGS) !== 0) throw invalid("flags", "BASE_TYPE_CHOICES", "These flags cannot be set.");
  const uploads = uploadsOf(body["attachments"], files);
  const isEmpty = ["embeds", "components", "sticker_ids", "poll"].every((name) => body[name] === undefined);
  if (content === "" && uploads.length === 0 && isEmpty) throw refusal(50_006);
  const allowed = body["allowed_mentions"] as { parse?: readonly string[]; users?: readonly string[] } | undefined;
  return {
    content,
    files: uploads,
    quiet: allowed !== undefined && allowed.parse?.includes("users") !== true && allowed.users === undefined,
    ...(flags !== 0 && { flags }),
    ...(body["components"] !== undefined && { components: body["components"] as never }), // shown as they came
    ...referenceOf(body["message_reference"], room),
  };
}

/** Newest first, as Discord has it; with `after` those that come next behind it. */
export function readMessages({ world, path, body, messageContent }: Call): readonly unknown[] {
  const room = world.room(path["channel"] ?? "");
  const limit = Number(body["limit"] ?? 50);
  if (limit < 1 || limit > 100) throw invalid("limit", "NUMBER_TYPE_MAX", "int value should be 1 to 100.");
  const all = [...room.messages.values()].toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  const { after, before } = body;
  const found =
    after === undefined
      ? all.filter(({ id }) => before === undefined || BigInt(id) < BigInt(String(before))).slice(-limit)
      : all.filter(({ id }) => BigInt(id) > BigInt(String(after))).slice(0, limit);
  const guarded = room.guild !== undefined && !messageContent;
  return found.toReversed().map((message) => {
    const isSeen = message.author.id === world.me.id || message.mentions.some(({ id }) => id === world.me.id);
    return guarded && !isSeen ? withoutContent({ ...message }) : message;
  });
}

export function editMessage(call: Call): APIMessage {
  const { world, path, body } = call;
  const room = world.room(path["channel"] ?? "");
  const message = world.message(room, path["message"] ?? "");
  if (message.author.id !== world.me.id) throw refusal(50_005);
  const { components } = body;
  const edited = components === undefined ? message : { ...message, components: components as never }; // as they came
  return world.edit(room, edited, body["content"] === undefined ? message.content : textOf(body["content"]));
}

export function deleteMessage({ world, path }: Call): undefined {
  const room = world.room(path["channel"] ?? "");
  const message = world.message(room, path["message"] ?? "");
  if (message.author.id !== world.me.id) throw refusal(50_013);
  world.remove(room, message.id);
}

/** @throws Refusal when the bot may not write there. */
export function writable(world: World, id: string, withFiles = false): Room {
  const room = world.room(id);
  const { channel } = room;
  if ("recipients" in channel && world.closed.has(channel.recipients?.[0]?.id ?? "")) throw refusal(50_007);
  const above = room.parent === undefined ? undefined : world.rooms.get(room.parent);
  const lacks = (what: "send" | "attach"): boolean => room.lacks.has(what) || above?.lacks.has(what) === true;
  if (lacks("send") || (withFiles && lacks("attach"))) throw refusal(50_013);
  if ("thread_metadata" in channel && channel.thread_metadata !== undefined) channel.thread_metadata.archived = false;
  return room;
}

/** Discord takes the blanks from both ends, and counts characters. */
function textOf(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : "";
  if ([...text].length > MAX_TEXT)
    throw invalid("content", "BASE_TYPE_MAX_LENGTH", `Must be ${MAX_TEXT} or fewer in length.`);
  return text;
}

function uploadsOf(list: unknown, files: ReadonlyMap<string, Upload>): readonly Upload[] {
  const named = (list ?? []) as readonly { readonly id?: unknown; readonly filename?: string }[]; // checked by its table
  if (files.size > MAX_FILES) throw invalid("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.");
  for (const { id } of named)
    if (!files.has(`files[${String(id)}]`))
      throw invalid("attachments.0", "ATTACHMENT_NOT_FOUND", "Attachment data not found");
  return [...files].map(([part, file]) => {
    if (file.bytes.length > MAX_FILE_BYTES) throw refusal(40_005);
    if (!/^files\[\d+\]$/.test(part)) throw new Refusal(400, { message: `no part ${part}`, code: 50_035 });
    const about = named.find(({ id }) => `files[${String(id)}]` === part);
    return { ...file, name: about?.filename ?? file.name };
  });
}

function referenceOf(value: unknown, room: Room): Partial<Draft> {
  if (value === undefined) return {};
  const { message_id: id, channel_id: elsewhere, fail_if_not_exists: must } = value as Record<string, string | boolean>;
  const there = room.messages.get(String(id));
  if (there === undefined && must === false) return {};
  if (there === undefined || (elsewhere !== undefined && elsewhere !== room.id))
    throw invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
  return {
    type: MessageType.Reply,
    message_reference: { type: MessageReferenceType.Default, message_id: there.id, channel_id: room.id },
    referenced_message: there,
  };
}
