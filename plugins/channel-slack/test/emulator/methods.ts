// The methods of the Web API that the emulator has, with every argument that Slack knows.

import { checkBlocks } from "./blocks.ts";
import { isRecord, type Wire } from "./http.ts";
import type { Call, Method } from "./method.ts";
import { REACTIONS } from "./reactions.ts";
import { Refusal, refuse } from "./refusal.ts";
import { type Channel, type Message, sorted } from "./world.ts";

const MESSAGE = [
  "channel",
  "text",
  "blocks",
  "metadata",
  "thread_ts",
  "unfurl_links",
  "unfurl_media",
  "reply_broadcast",
  "mrkdwn",
  "parse",
  "link_names",
  "attachments",
  "client_msg_id",
];
const PAGE = ["channel", "cursor", "include_all_metadata", "inclusive", "latest", "limit", "oldest"];

export const METHODS: Readonly<Record<string, Method>> = {
  "auth.test": {
    args: [],
    act: ({ world, around }) => ({
      url: "https://a.slack.com/",
      team: around.team,
      user: world.me.name,
      team_id: "T1",
      user_id: world.me.id,
      bot_id: world.bot,
    }),
  },
  "apps.connections.open": { args: [], token: "app", act: ({ around }) => ({ url: around.openSocket() }) },
  "chat.postMessage": { args: MESSAGE, scope: "chat:write", act: postMessage },
  "chat.update": {
    args: ["channel", "ts", "text", "blocks", "metadata", "parse", "link_names", "attachments", "reply_broadcast"],
    scope: "chat:write",
    act: update,
  },
  "chat.delete": {
    args: ["channel", "ts"],
    scope: "chat:write",
    act: ({ world, args }) => {
      const channel = world.channel(args["channel"]);
      const message = channel.messages.get(args["ts"] ?? "");
      if (message === undefined) throw refuse("message_not_found");
      if (message.user !== world.me.id) throw refuse("cant_delete_message");
      channel.messages.delete(message.ts);
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.postEphemeral": {
    args: ["channel", "user", "text", "blocks", "thread_ts"],
    scope: "chat:write",
    act: ({ world, args, around }) => {
      const channel = world.channel(args["channel"]);
      if (!channel.members.has(args["user"] ?? "")) throw refuse("user_not_in_channel");
      around.ephemeral.push({ channel: channel.id, user: args["user"] ?? "", text: args["text"] ?? "" });
      return { message_ts: world.ts() };
    },
  },
  "conversations.history": { args: PAGE, act: history },
  "conversations.replies": { args: [...PAGE, "ts"], act: replies },
  "conversations.open": {
    args: ["users", "channel", "return_im", "prevent_creation"],
    scope: "im:write",
    act: ({ world, args }) => {
      const user = world.users.get(args["users"] ?? "");
      if (user === undefined) throw refuse("user_not_found");
      if (user.isBot) throw refuse("cannot_dm_bot");
      return { channel: { id: world.im(user).id } };
    },
  },
  "users.info": {
    args: ["user", "include_locale"],
    scope: "users:read",
    act: ({ world, args }) => {
      const user = world.users.get(args["user"] ?? "");
      if (user === undefined) throw refuse("user_not_found");
      return {
        user: {
          id: user.id,
          name: user.name.toLowerCase(),
          is_bot: user.isBot,
          profile: { display_name: user.name, real_name: `${user.name} R.` },
        },
      };
    },
  },
  "conversations.info": {
    args: ["channel", "include_locale", "include_num_members"],
    scope: "channels:read",
    act: ({ world, args }) => {
      const channel = world.channels.get(args["channel"] ?? "");
      if (channel === undefined) throw refuse("channel_not_found");
      return { channel: { id: channel.id, name: channel.name, is_channel: channel.kind === "channel" } };
    },
  },
  "files.info": {
    args: ["file"],
    scope: "files:read",
    act: ({ world, args }) => {
      const file = world.files.get(args["file"] ?? "");
      if (file === undefined) throw refuse("file_not_found");
      return { file: world.fileObject(file) };
    },
  },
  "files.getUploadURLExternal": {
    args: ["filename", "length", "alt_txt", "snippet_type"],
    scope: "files:write",
    act: uploadUrl,
  },
  "files.completeUploadExternal": {
    args: ["files", "channel_id", "channels", "initial_comment", "thread_ts", "blocks"],
    scope: "files:write",
    act: complete,
  },
  ...REACTIONS,
  "assistant.threads.setStatus": {
    args: ["channel_id", "thread_ts", "status", "loading_messages"],
    scope: "chat:write",
    act: ({ world, args, around }) => {
      const channel = world.channel(args["channel_id"]);
      if (!channel.messages.has(args["thread_ts"] ?? "")) throw refuse("invalid_thread_ts");
      around.status.push({ channel: channel.id, thread: args["thread_ts"] ?? "", status: args["status"] ?? "" });
      return {};
    },
  },
};

function json(text: string | undefined, error: string): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refuse(error);
  }
}

function looks({ args, world }: Call, channel: Channel): Pick<Message, "text" | "blocks" | "metadata"> {
  const blocks = args["blocks"] === undefined ? undefined : checkBlocks(json(args["blocks"], "invalid_blocks_format"));
  const text = args["text"] ?? "";
  if (text === "" && blocks === undefined) throw refuse("no_text");
  const metadata = json(args["metadata"], "invalid_metadata_format");
  if (
    metadata !== undefined &&
    (!isRecord(metadata) || typeof metadata["event_type"] !== "string" || !isRecord(metadata["event_payload"]))
  )
    throw refuse("invalid_metadata_schema");
  if (channel.isArchived || world.users.size === 0) throw refuse("is_archived");
  return { text, ...(blocks !== undefined && { blocks }), ...(isRecord(metadata) && { metadata }) };
}

function postMessage(call: Call): Wire {
  const { world, args } = call;
  const channel = world.channel(args["channel"]);
  const said = looks(call, channel);
  const root = args["thread_ts"];
  if (root !== undefined && !channel.messages.has(root)) throw refuse("thread_not_found");
  const unfurl = args["unfurl_links"] !== "false" || args["unfurl_media"] !== "false";
  const message: Message = {
    ts: world.ts(),
    user: world.me.id,
    bot_id: world.bot,
    unfurl,
    ...said,
    ...(root !== undefined && { thread_ts: root }),
  };
  world.say(channel, message);
  return { channel: channel.id, ts: message.ts, message };
}

function update(call: Call): Wire {
  const { world, args } = call;
  const channel = world.channel(args["channel"]);
  const message = channel.messages.get(args["ts"] ?? "");
  if (message === undefined) throw refuse("message_not_found");
  if (message.user !== world.me.id) throw refuse("cant_update_message");
  const said = looks(call, channel);
  if (said.text.length > 4000) throw refuse("msg_too_long");
  Object.assign(message, said, { edited: true });
  world.tell({
    type: "message",
    subtype: "message_changed",
    hidden: true,
    channel: channel.id,
    ts: world.ts(),
    message: { ...message },
  });
  return { channel: channel.id, ts: message.ts, text: said.text };
}

/** @throws Refusal: of its kind of chat nothing may be read. */
function mayRead({ world, args, scopes }: Call): Channel {
  const channel = world.channel(args["channel"]);
  const needed = `${channel.kind === "channel" ? "channels" : channel.kind === "group" ? "groups" : channel.kind}:history`;
  if (!scopes.includes(needed))
    throw new Refusal({ ok: false, error: "missing_scope", needed, provided: scopes.join(",") });
  return channel;
}

function history(call: Call): Wire {
  const channel = mayRead(call);
  const shown = sorted(channel).filter(
    ({ thread_ts: thread, ts, subtype }) => thread === undefined || thread === ts || subtype === "thread_broadcast",
  );
  return page(call, channel, shown.toReversed());
}

function replies(call: Call): Wire {
  const channel = mayRead(call);
  const root = channel.messages.get(call.args["ts"] ?? "");
  if (root === undefined) throw refuse("thread_not_found");
  return page(call, channel, call.world.replies(channel, root.ts), root);
}

function page({ world, args, scopes }: Call, channel: Channel, all: readonly Message[], root?: Message): Wire {
  const limit = Number(args["limit"] ?? 100);
  if (!(limit >= 1 && limit <= 999)) throw refuse("invalid_limit");
  const [oldest, latest] = [Number(args["oldest"] ?? 0), Number(args["latest"] ?? Infinity)];
  const inside = all.filter(({ ts }) => Number(ts) > oldest && Number(ts) < latest);
  const from = args["cursor"] === undefined ? 0 : Number(Buffer.from(args["cursor"], "base64").toString());
  if (Number.isNaN(from)) throw refuse("invalid_cursor");
  const more = from + limit < inside.length;
  const withMetadata = args["include_all_metadata"] === "true" && scopes.includes("metadata.message:read");
  const part = [...(root === undefined || from > 0 ? [] : [root]), ...inside.slice(from, from + limit)];
  return {
    messages: part.map((message) => {
      const { metadata, unfurl: _, edited: __, reactions: ___, ...told } = message;
      const count = world.replies(channel, message.ts).length;
      return {
        type: "message",
        ...told,
        ...(withMetadata && metadata !== undefined && { metadata }),
        ...(count > 0 && { thread_ts: message.ts, reply_count: count }),
      };
    }),
    has_more: more,
    ...(more && { response_metadata: { next_cursor: Buffer.from(String(from + limit)).toString("base64") } }),
  };
}

function uploadUrl({ world, args }: Call): Wire {
  const length = Number(args["length"]);
  if (!(length > 0)) throw refuse("invalid_arguments", ["length must be a positive number"]);
  const file = {
    id: world.id("F"),
    name: args["filename"] ?? "",
    bytes: undefined,
    length,
    mediaType: "application/octet-stream",
    isShared: false,
  };
  world.files.set(file.id, file);
  return { upload_url: `${world.url}/upload/v1/${file.id}`, file_id: file.id };
}

function complete({ world, args }: Call): Wire {
  const listed = json(args["files"], "invalid_arguments");
  const files = (Array.isArray(listed) ? (listed as readonly Wire[]) : []).map(({ id }) => {
    const file = world.files.get(String(id));
    if (file === undefined || file.bytes === undefined || file.isShared) throw refuse("file_not_found");
    return file;
  });
  if (files.length === 0) throw refuse("invalid_arguments");
  const objects = files.map((file) => world.fileObject(file));
  if (args["channel_id"] !== undefined) {
    const channel = world.channel(args["channel_id"]);
    const root = args["thread_ts"];
    for (const file of files) file.isShared = true;
    world.say(channel, {
      ts: world.ts(),
      user: world.me.id,
      bot_id: world.bot,
      subtype: "file_share",
      text: args["initial_comment"] ?? "",
      files: objects,
      ...(root !== undefined && { thread_ts: root }),
    });
  }
  return { files: objects };
}
