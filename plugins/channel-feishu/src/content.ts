/** What a message of Feishu holds, by its type → words, and the files that lie there. Pure. */
import type { SentFile } from "@margay/core/plugin";
import { isRecord, parsed, recordsOf, textOf, type Wire } from "./json.ts";

/** A file that lies at Feishu. */
export interface Remote {
  readonly kind: "image" | "file";
  readonly key: string;
  readonly name: string;
}

/** @param message the one that they are in: Feishu wants to know it. */
export function sentFiles(message: string, files: readonly Remote[]): readonly SentFile[] {
  return files.map(({ kind, key, name }) => ({ file: key, name, locator: { message, kind, key } }));
}

export interface Content {
  readonly text: string;
  readonly files: readonly Remote[];
}

/** @param nameOf what people see of a mention's key. @returns undefined: Feishu itself wrote it, and nobody said anything. */
export function readContent(type: string, content: string, nameOf: (key: string) => string): Content | undefined {
  if (type === "system") return undefined;
  const data = parsed(content) ?? {};
  const words = (text: unknown): string => named(textOf(text) ?? "", nameOf);
  const file = (kind: Remote["kind"], key: unknown, name: string, text = ""): Content => {
    const found = textOf(key);
    return { text, files: found === undefined ? [] : [{ kind, key: found, name }] };
  };
  switch (type) {
    case "text":
      return { text: words(data["text"]), files: [] };
    case "post":
      return readPost(data, nameOf);
    case "image":
      return file("image", data["image_key"], "image");
    case "file":
      return file("file", data["file_key"], textOf(data["file_name"]) ?? "file");
    case "audio":
      return file("file", data["file_key"], "voice.opus", "[Voice message]");
    case "media":
      return file("file", data["file_key"], textOf(data["file_name"]) ?? "video.mp4");
    case "interactive":
      return { text: ["[Card]", ...cardTexts(data).map((text) => words(text))].join("\n"), files: [] };
    default:
      return { text: lineOf(type, data), files: [] };
  }
}

/** Types that are one line. */
function lineOf(type: string, data: Wire): string {
  const line = (kind: string, ...more: readonly unknown[]): string => {
    const said = more.flatMap((one) => textOf(one) ?? (typeof one === "number" ? String(one) : []));
    return said.length === 0 ? `[${kind}]` : `[${kind}: ${said.join(", ")}]`;
  };
  switch (type) {
    case "sticker":
      return line("Sticker");
    case "location":
      return line("Place", data["name"], data["latitude"], data["longitude"]);
    case "share_chat":
      return line("Shared group", data["chat_name"], data["chat_id"]);
    case "share_user":
      return line("Shared contact", data["user_id"]);
    case "folder":
      return line("Folder", data["file_name"]);
    case "hongbao":
      return line("Red packet", data["text"]);
    case "video_chat":
      return line("Video meeting", data["topic"]);
    case "vote":
      return line("Vote", data["topic"], ...(Array.isArray(data["options"]) ? data["options"] : []));
    case "todo":
      return line("Task", isRecord(data["summary"]) ? readPost(data["summary"], (key) => key).text : data["summary"]);
    case "share_calendar_event":
    case "calendar":
    case "general_calendar":
      return line("Calendar", data["summary"]);
    case "merge_forward":
      return line("Forwarded messages, which cannot be read here");
    default:
      return line(`A message of the type ${type}, which cannot be read here`);
  }
}

function readPost(data: Wire, nameOf: (key: string) => string): Content {
  // Sent in languages, it has one more floor.
  const post = "content" in data || "title" in data ? data : (Object.values(data).find((one) => isRecord(one)) ?? {});
  const { title, content } = post as Wire; // both are records
  const files: Remote[] = [];
  const lines = (Array.isArray(content) ? content : []).map((line) =>
    recordsOf(line)
      .map((node) => readNode(node, nameOf, files))
      .join(""),
  );
  return { text: [named(textOf(title) ?? "", nameOf), ...lines].join("\n").trim(), files };
}

function readNode(node: Wire, nameOf: (key: string) => string, files: Remote[]): string {
  const text = named(textOf(node["text"]) ?? "", nameOf);
  const key = textOf(node["image_key"]);
  switch (node["tag"]) {
    case "a": {
      const href = textOf(node["href"]) ?? "";
      return text === href || text === "" ? href : `[${text}](${href})`;
    }
    case "at": {
      const id = textOf(node["user_id"]) ?? "";
      return id.startsWith("@_") ? nameOf(id) : `@${textOf(node["user_name"]) ?? id}`;
    }
    case "img":
      if (key !== undefined) files.push({ kind: "image", key, name: "image" });
      return "";
    case "media": {
      const file = textOf(node["file_key"]);
      if (file !== undefined) files.push({ kind: "file", key: file, name: "video.mp4" });
      return "";
    }
    case "emotion":
      return `:${textOf(node["emoji_type"]) ?? "emoji"}:`;
    case "code_block":
      return `\n\`\`\`${(textOf(node["language"]) ?? "").toLowerCase()}\n${text.trimEnd()}\n\`\`\`\n`;
    case "hr":
      return "\n---\n";
    default:
      return text;
  }
}

const TEXT_TAGS = ["text", "plain_text", "lark_md", "markdown", "a", "md"];

/** All that a card says, whatever its form. */
function cardTexts(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((one) => cardTexts(one));
  if (!isRecord(node)) return [];
  const own = TEXT_TAGS.includes(String(node["tag"])) ? [textOf(node["content"]), textOf(node["text"])] : [];
  const title = [textOf(node["title"])];
  const said = [...title, ...own].flatMap((text) => text ?? []);
  return [...said, ...Object.values(node).flatMap((one) => (typeof one === "object" ? cardTexts(one) : []))];
}

/** Names instead of keys. */
function named(text: string, nameOf: (key: string) => string): string {
  return text.replaceAll(/@_(?:user_\d+|all)\b/g, (key) => nameOf(key));
}
