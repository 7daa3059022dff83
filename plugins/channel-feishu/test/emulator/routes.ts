// Each request that the platform knows: its fields, what the app has to be allowed, and what it does.
import { CARD_ROUTES, shownCard } from "./cardkit.ts";
import { type Call, data, type Route } from "./route.ts";
import { checkContent } from "./contents.ts";
import { isRecord, type Json } from "./http.ts";
import { REACTION_ROUTES } from "./reactions.ts";
import { denied, Refusal, refusal } from "./refusal.ts";
import type { Chat, Message } from "./world.ts";

const HOUR_MS = 3_600_000;
const MAX_EDITS = 20;
const SEND = ["im:message", "im:message:send_as_bot"];
const READ = ["im:message", "im:message:readonly"];

export const ROUTES: readonly Route[] = [
  ...CARD_ROUTES,
  ...REACTION_ROUTES,
  { name: "GET /bot/v3/info", fields: [], act: botInfo },
  {
    name: "POST /im/v1/messages",
    scopes: SEND,
    fields: ["receive_id!", "msg_type!", "content!", "uuid"],
    query: ["receive_id_type!"],
    act: (call) => sendTo(call, receiver(call), {}),
  },
  {
    name: "POST /im/v1/messages/:id/reply",
    scopes: SEND,
    fields: ["msg_type!", "content!", "uuid", "reply_in_thread"],
    act: reply,
  },
  { name: "PATCH /im/v1/messages/:id", scopes: SEND, fields: ["content!"], act: patch },
  { name: "PUT /im/v1/messages/:id", scopes: SEND, fields: ["msg_type!", "content!"], act: put },
  {
    name: "GET /im/v1/messages/:id",
    scopes: READ,
    fields: [],
    act: ({ world, path }) => data({ items: [world.itemOf(world.message(path["id"] ?? ""))] }),
  },
  {
    name: "GET /im/v1/messages",
    scopes: READ,
    fields: [],
    query: ["container_id_type!", "container_id!", "start_time", "end_time", "sort_type", "page_size", "page_token"],
    act: list,
  },
  {
    name: "GET /im/v1/messages/:id/resources/:key",
    scopes: ["im:resource", ...READ],
    fields: [],
    query: ["type!"],
    act: resource,
  },
  { name: "POST /im/v1/images", scopes: ["im:resource"], fields: ["image_type!"], act: image },
  { name: "POST /im/v1/files", scopes: ["im:resource"], fields: ["file_type!", "file_name!", "duration"], act: file },
  {
    name: "GET /contact/v3/users/:id",
    scopes: ["contact:user.base:readonly"],
    fields: [],
    query: ["user_id_type"],
    act: user,
  },
  {
    name: "GET /im/v1/chats/:id",
    scopes: ["im:chat:readonly"],
    fields: [],
    act: ({ world, path }) => {
      const chat = world.chats.get(path["id"] ?? "");
      if (chat?.hasBot !== true) throw refusal(230_002);
      return data({ name: chat.mode === "p2p" ? "" : `Group ${chat.id}`, chat_mode: chat.mode });
    },
  },
  {
    name: "GET /application/v6/scopes",
    fields: [],
    act: ({ world }) =>
      data({
        scopes: [...world.scopes].map((scope) => ({ scope_name: scope, grant_status: 1, scope_type: "tenant" })),
      }),
  },
];

function botInfo({ world }: Call): Json {
  const { openId, name } = world.bot;
  return {
    code: 0,
    msg: "ok",
    bot: { activate_status: 2, app_name: name, avatar_url: "", ip_white_list: [], open_id: openId },
  };
}

function receiver({ world, query, body }: Call): Chat {
  const id = String(body["receive_id"]);
  if (query["receive_id_type"] === "chat_id") {
    const chat = world.chats.get(id);
    if (chat === undefined) throw refusal(230_001, "invalid receive_id");
    return chat;
  }
  const person = [...world.people.values()].find(({ openId, unionId }) =>
    query["receive_id_type"] === "open_id" ? openId === id : unionId === id,
  );
  if (person === undefined) throw refusal(230_001, "invalid receive_id");
  if (world.hidden.has(person.openId)) throw refusal(230_013);
  return world.dm(person);
}

function sendTo(call: Call, chat: Chat, more: { readonly replyTo?: Message; readonly inThread?: boolean }): Json {
  const { world, body, bytes, uuids, paced } = call;
  if (!world.isBotOn) throw refusal(230_006);
  if (!chat.hasBot) throw refusal(230_002);
  const uuid = body["uuid"];
  if (uuid !== undefined && (typeof uuid !== "string" || uuid.length > 50))
    throw refusal(230_001, "uuid is longer than 50");
  const before = uuids.get(String(uuid));
  if (before !== undefined && before.at > world.now() - HOUR_MS) return data(world.itemOf(before.message));
  paced(chat.id);
  const type = String(body["msg_type"]);
  const card = type === "interactive" ? shownCard(world, String(body["content"])) : undefined;
  const content = card?.content ?? checkContent(world, type, String(body["content"]), bytes);
  const message = world.say(chat, world.appId, { type, content, ...(card && { card }), ...more });
  if (uuid !== undefined) uuids.set(uuid, { message, at: world.now() });
  return data(world.itemOf(message));
}

function reply(call: Call): Json {
  const replyTo = call.world.message(call.path["id"] ?? "");
  if (replyTo.deleted) throw refusal(230_011);
  return sendTo(call, replyTo.chat, { replyTo, inThread: call.body["reply_in_thread"] === true });
}

function ours({ world, path, paced }: Call): Message {
  const message = world.message(path["id"] ?? "");
  if (message.author !== world.appId) throw refusal(230_012);
  paced(message.id);
  return message;
}

function patch(call: Call): Json {
  const message = ours(call);
  if (message.type !== "interactive") throw refusal(230_001, "This message is NOT a card.");
  const content = checkContent(call.world, "interactive", String(call.body["content"]), call.bytes);
  if (message.card === undefined) message.content = content;
  else message.card.content = content;
  message.edits += 1;
  return data({});
}

function put(call: Call): Json {
  const message = ours(call);
  const type = String(call.body["msg_type"]);
  if (type !== message.type || !["text", "post"].includes(type)) throw refusal(230_001, "msg_type");
  if (message.edits >= MAX_EDITS) throw refusal(230_072);
  message.content = checkContent(call.world, type, String(call.body["content"]), call.bytes);
  message.edits += 1;
  return data(call.world.itemOf(message));
}

function list({ world, query }: Call): Json {
  const {
    container_id_type: kind,
    container_id: id = "",
    start_time: from,
    sort_type: sort = "ByCreateTimeAsc",
    page_size: size = "20",
    page_token: token,
  } = query;
  const all = [...world.messages.values()];
  const inside = all.filter((one) => (kind === "thread" ? one.thread === id : one.chat.id === id));
  const chat = kind === "thread" ? inside[0]?.chat : world.chats.get(id);
  if (chat === undefined || !["chat", "thread"].includes(kind ?? "")) throw refusal(230_001, "invalid container_id");
  if (!chat.hasBot) throw refusal(230_002);
  if (chat.mode !== "p2p" && !world.scopes.has("im:message.group_msg"))
    throw refusal(230_027, "need scope: im:message.group_msg");
  if (kind === "thread" && from !== undefined) throw refusal(230_001, "thread does not support start_time");
  if (!(Number(size) >= 1 && Number(size) <= 50)) throw refusal(230_001, "page_size");
  const seen = inside
    // Of a topic a chat shows the beginning.
    .filter(({ thread, root }) => kind === "thread" || thread === undefined || root === undefined)
    .filter(({ at }) => from === undefined || at >= Number(from) * 1000)
    .toSorted((a, b) => (sort === "ByCreateTimeDesc" ? b.at - a.at : a.at - b.at));
  const begin = token === undefined ? 0 : Number(token.replace("page-", ""));
  const items = seen.slice(begin, begin + Number(size));
  const end = begin + items.length;
  return data({
    items: items.map((one) => world.itemOf(one)),
    has_more: end < seen.length,
    page_token: end < seen.length ? `page-${end}` : "",
  });
}

function resource({ world, path, query }: Call): Buffer {
  const message = world.message(path["id"] ?? "");
  const key = path["key"] ?? "";
  const found = world.files.get(key);
  if (found === undefined || !JSON.stringify(message.content).includes(key)) throw refusal(234_003);
  if (query["type"] !== (found.kind === "image" ? "image" : "file")) throw refusal(230_001, "type");
  return found.bytes;
}

function image({ world, files, body }: Call): Json {
  const found = files.get("image");
  if (found === undefined || body["image_type"] !== "message") throw refusal(230_001, "image");
  if (found.bytes.length === 0) throw refusal(234_010);
  if (found.bytes.length > 10 * 1024 * 1024) throw refusal(234_006);
  if (!/^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF)/.test(found.bytes.subarray(0, 8).toString("latin1")))
    throw refusal(234_011);
  return data({ image_key: world.keep("image", found) });
}

function file({ world, files, body }: Call): Json {
  const found = files.get("file");
  const kind = String(body["file_type"]);
  if (found === undefined || !["opus", "mp4", "pdf", "doc", "xls", "ppt", "stream"].includes(kind))
    throw refusal(230_001, "file");
  if (found.bytes.length === 0) throw refusal(234_010);
  if (found.bytes.length > 30 * 1024 * 1024) throw refusal(234_006);
  return data({ file_key: world.keep(kind, found) });
}

function user({ world, path, query }: Call): Json {
  const person = world.people.get(path["id"] ?? "");
  if (person === undefined || query["user_id_type"] !== "open_id") throw new Refusal(41_050, "no user authority error");
  return data({ user: { open_id: person.openId, union_id: person.unionId, name: person.name } });
}

/** @throws Refusal. @param complain called for what the platform passes over: a test is not to */
export function checkRoute(
  { name, fields, query = [], scopes }: Route,
  { world, body, query: asked }: Pick<Call, "world" | "body" | "query">,
  complain: (text: string) => void,
): void {
  if (scopes !== undefined && !scopes.some((scope) => world.scopes.has(scope))) throw denied(scopes);
  for (const [given, known] of [
    [body, fields],
    [asked, query],
  ] as const) {
    const names = known.map((field) => field.replace("!", ""));
    for (const field of Object.keys(given)) if (!names.includes(field)) complain(`${name}: unknown field ${field}`);
    for (const field of known)
      if (field.endsWith("!") && (!isRecord(given) || given[field.slice(0, -1)] === undefined))
        throw refusal(230_001, `${field.slice(0, -1)} is required`);
  }
}
