/** One message of Discord → who says what to whom. Pure. */
import type { InboundMessage, Sender, SentFile } from "@margay/core/plugin";
import { isRecord, needed, recordsOf, textOf, type Wire } from "./json.ts";

export interface Read extends Pick<
  InboundMessage,
  "key" | "from" | "chat" | "addressed" | "sentAt" | "marks" | "quotes"
> {
  readonly text: string;
  readonly files: readonly SentFile[];
}

/** What a message does not say itself. */
export interface Surroundings {
  readonly me: string;
  readonly guild: string | undefined;
  readonly ourRole: string | undefined;
  readonly nameOf: (channel: string) => string | undefined;
}

/** An ordinary message and a reply; all others are made by Discord, or are answers of programs. */
const TALK = [0, 19];
const FORWARD = 1;

/** Undefined: nobody has said anything to us. @throws TypeError for what is no message. */
export function readMessage(data: Wire, around: Surroundings): Read | undefined {
  const key = needed(data["id"], "id");
  const author = isRecord(data["author"]) ? data["author"] : {};
  const id = needed(author["id"], "author.id");
  const sentAt = Date.parse(needed(data["timestamp"], "timestamp"));
  if (id === around.me || !TALK.includes(Number(data["type"] ?? 0))) return undefined;
  const from = senderOf(author, data);
  const addressed = around.guild === undefined ? undefined : addressedOf(data, around);
  return {
    key,
    from,
    chat: around.guild === undefined ? "private" : "group",
    ...(addressed !== undefined && { addressed }),
    ...(!Number.isNaN(sentAt) && { sentAt }),
    // What somebody else wrote is not the word of who passes it on.
    ...(snapshotsOf(data).length > 0 && { marks: { integrity: "untrusted" } }),
    text: textIn(data, around),
    files: [data, ...snapshotsOf(data)].flatMap(filesOf),
    ...answered(data, around),
  };
}

/** What it answers, while that is still there. */
function answered(data: Wire, around: Surroundings): Pick<Read, "quotes"> {
  const found = data["referenced_message"];
  const author = isRecord(found) && isRecord(found["author"]) ? found["author"] : undefined;
  const key = isRecord(found) ? textOf(found["id"]) : undefined;
  if (!isRecord(found) || author === undefined || key === undefined || isForward(data)) return {};
  const from = senderOf(author, found);
  const own = from.id === around.me;
  const text = textIn(found, around);
  // What was passed on is not the word of who did that.
  const isPassed = snapshotsOf(found).length > 0;
  const files = own ? [] : filesOf(found);
  return {
    quotes: {
      ...{ key, own, from: isPassed ? { id: "elsewhere", kind: "person" } : from },
      ...(text !== "" && { text }),
      ...(files.length > 0 && { files }),
    },
  };
}

function isForward({ message_reference: reference }: Wire): boolean {
  return isRecord(reference) && reference["type"] === FORWARD;
}

function senderOf(author: Wire, data: Wire): Sender {
  const isBot = author["bot"] === true || textOf(data["webhook_id"]) !== undefined;
  const name = nameOf(author, data["member"]);
  return {
    id: needed(author["id"], "author.id"),
    kind: "person",
    ...(name !== undefined && { name }),
    ...(isBot && { bot: true }),
  };
}

/** Undefined: it is said to all. */
function addressedOf(data: Wire, { me, ourRole }: Surroundings): InboundMessage["addressed"] {
  // What stands in code is quoted, not said.
  const text = (textOf(data["content"]) ?? "").replaceAll(/```[^]*?(?:```|$)|`[^`\n]*`/g, " ");
  const named = [...text.matchAll(/<@(&?)!?(\d+)>/g)].map(([, role, id]) =>
    role === "&" ? id === ourRole : id === me,
  );
  if (named.includes(true)) return "named";
  const reference = data["message_reference"];
  if (isRecord(reference) && reference["type"] !== FORWARD && textOf(reference["message_id"]) !== undefined) {
    const answered = isRecord(data["referenced_message"]) ? data["referenced_message"]["author"] : undefined;
    const whom = isRecord(answered) ? answered["id"] : undefined;
    if (whom === me) return "reply";
    // To add to one's own words is no talk with somebody else.
    if (!isRecord(data["author"]) || whom !== data["author"]["id"]) return "other";
  }
  return /^\s*<@!?\d+>/.test(text) ? "other" : undefined;
}

function textIn(data: Wire, around: Surroundings): string {
  const names = new Map(recordsOf(data["mentions"]).map((user) => [user["id"], nameOf(user, user["member"])]));
  const own = wordsOf(textOf(data["content"]) ?? "", names, around);
  const embeds = own === "" ? recordsOf(data["embeds"]) : [];
  return [
    own,
    ...embeds.map(({ title, description }) => [textOf(title), textOf(description)].filter(Boolean).join("\n")),
    ...recordsOf(data["sticker_items"]).map(({ name }) => `[Sticker: ${String(name)}]`),
    ...pollOf(data),
    // Somebody else's words.
    ...snapshotsOf(data).map(({ content }) =>
      ["[Forwarded message]", ...wordsOf(textOf(content) ?? "", names, around).split("\n")].join("\n> "),
    ),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function pollOf({ poll }: Wire): readonly string[] {
  if (!isRecord(poll)) return [];
  const wordsIn = (one: unknown): string => (isRecord(one) ? (textOf(one["text"]) ?? "") : "").replaceAll(/\s+/g, " ");
  const choices = recordsOf(poll["answers"]).map((answer) => `- ${wordsIn(answer["poll_media"])}`);
  return [`[Poll: ${[wordsIn(poll["question"]), ...choices].join(" ")}]`];
}

/** As people see it: names instead of numbers. */
function wordsOf(content: string, names: ReadonlyMap<unknown, string | undefined>, around: Surroundings): string {
  const { me, ourRole = "none", nameOf: channelOf } = around;
  // `@margay /here` is the command.
  const command = new RegExp(`^\\s*<@(?:!?${me}|&${ourRole})>\\s*(?=/)`);
  return content
    .replace(command, "")
    .replaceAll(/<@!?(\d+)>/g, (whole, id: string) => withAt(names.get(id)) ?? whole)
    .replaceAll(/<@&(\d+)>/g, (whole, id: string) => (id === ourRole ? (withAt(names.get(me)) ?? whole) : whole))
    .replaceAll(/<#(\d+)>/g, (whole, id: string) => {
      const name = channelOf(id);
      return name === undefined ? whole : `#${name}`;
    })
    .replaceAll(/<a?:(\w+):\d+>/g, ":$1:");
}

function withAt(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `@${name}`;
}

/** What people see of somebody: the name in the guild, the chosen one, that of the account. */
function nameOf({ global_name: chosen, username }: Wire, member: unknown): string | undefined {
  return textOf(isRecord(member) ? member["nick"] : undefined) ?? textOf(chosen) ?? textOf(username);
}

function snapshotsOf(data: Wire): readonly Wire[] {
  return recordsOf(data["message_snapshots"]).flatMap(({ message }) => (isRecord(message) ? [message] : []));
}

/** Of a message: it is a voice note, and its file is that. */
const IS_VOICE_MESSAGE = 1 << 13;

function filesOf(data: Wire): readonly SentFile[] {
  const isVoice = (Number(data["flags"] ?? 0) & IS_VOICE_MESSAGE) !== 0;
  return recordsOf(data["attachments"]).flatMap(({ id, filename, url, size, content_type: type }) => {
    const address = textOf(url);
    if (address === undefined) return [];
    const mediaType = textOf(type) ?? "application/octet-stream";
    return [
      {
        // Its address is signed anew each time.
        file: textOf(id) ?? address,
        name: textOf(filename) ?? "file",
        locator: address,
        bytes: Number(size ?? 0),
        mediaType,
        ...(isVoice && { voice: true as const }),
      },
    ];
  });
}
