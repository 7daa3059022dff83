// What a message may hold: checked as the platform does, and read as people see it.
import { isRecord, type Json } from "./http.ts";
import { refusal } from "./refusal.ts";
import type { World } from "./world.ts";

const CARD_TABLES = 5;
const TEXT_BYTES = 150 * 1024;
const OTHER_BYTES = 30 * 1024;
const FILE_KINDS: Readonly<Record<string, readonly string[]>> = {
  file: ["pdf", "doc", "xls", "ppt", "stream", "opus", "mp4"],
  audio: ["opus"],
  media: ["mp4"],
};

export interface Button {
  readonly label: string;
  readonly value: Json;
}

/** @param bytes of the request. @throws Refusal. */
export function checkContent(world: World, type: string, text: string, bytes: number): Json {
  if (bytes > (type === "text" ? TEXT_BYTES : OTHER_BYTES)) throw refusal(230_025);
  const content = parsed(text);
  if (content === undefined) throw refusal(230_001, "content is not a string in json format");
  switch (type) {
    case "text":
      if (typeof content["text"] !== "string" || content["text"].trim() === "") throw refusal(230_001, "text is empty");
      return content;
    case "post":
      checkPost(content);
      return content;
    case "interactive":
      checkCard(content);
      return content;
    case "image":
    case "file":
    case "audio":
    case "media": {
      const key = String(content[type === "image" ? "image_key" : "file_key"]);
      const kinds = type === "image" ? ["image"] : (FILE_KINDS[type] ?? []);
      if (!kinds.includes(world.files.get(key)?.kind ?? "")) throw refusal(230_001, `invalid ${type}_key`);
      return content;
    }
    default:
      throw refusal(230_001, `msg_type ${type}`);
  }
}

function checkPost(content: Json): void {
  const [post] = Object.values(content);
  if (!("zh_cn" in content || "en_us" in content) || !isRecord(post) || !Array.isArray(post["content"]))
    throw refusal(230_001, "invalid post");
  for (const node of (post["content"] as unknown[]).flat())
    if (!isRecord(node) || !["text", "a", "at", "img", "md"].includes(String(node["tag"])))
      throw refusal(230_001, "invalid post node");
}

/** Fields of each element, and which must be there. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  markdown: ["content!", "element_id"],
  div: ["text!"],
  plain_text: ["content!"],
  column_set: ["columns!", "flex_mode"],
  column: ["elements!", "width"],
  button: ["text!", "type", "behaviors!"],
};

/** @throws Refusal. */
export function checkCard(card: Json): void {
  const body = card["body"];
  if (card["schema"] !== "2.0" || !isRecord(body) || !Array.isArray(body["elements"]) || body["elements"].length === 0)
    throw bad("no card of schema 2.0");
  const elements = elementsOf(body);
  for (const element of elements) {
    const tag = String(element["tag"]);
    const fields = Object.hasOwn(ELEMENTS, tag) ? ELEMENTS[tag] : undefined;
    if (fields === undefined) throw bad(`unsupported tag ${tag}`);
    const names = fields.map((name) => name.replace("!", ""));
    const odd = Object.keys(element).find((name) => name !== "tag" && !names.includes(name));
    if (odd !== undefined) throw bad(`unknown property ${odd} of ${tag}`);
    for (const name of fields)
      if (name.endsWith("!") && element[name.slice(0, -1)] === undefined) throw bad(`${tag} lacks ${name}`);
  }
  const tables = elements.reduce(
    (sum, { tag, content }) => sum + (tag === "markdown" ? tablesIn(String(content)) : 0),
    0,
  );
  if (tables > CARD_TABLES) throw bad("ErrCode: 11310; ErrMsg: card table number over limit; ErrorValue: table; ");
}

function bad(why: string): Error {
  return refusal(230_099, why);
}

function tablesIn(markdown: string): number {
  return markdown.replaceAll(/```[\s\S]*?```/g, "").match(/^\|(?: ?:?-+:? ?\|)+$/gm)?.length ?? 0;
}

/** All that has a tag, from the outside in. */
export function elementsOf(node: unknown): readonly Json[] {
  if (Array.isArray(node)) return node.flatMap((one) => elementsOf(one));
  if (!isRecord(node)) return [];
  return [...("tag" in node ? [node] : []), ...Object.values(node).flatMap((one) => elementsOf(one))];
}

/** As people read it. */
export function textOf(type: string, content: Json): string {
  switch (type) {
    case "text":
      return String(content["text"]);
    case "post": {
      const [post] = Object.values(content) as Json[]; // it was checked
      const lines = (post?.["content"] ?? []) as readonly Json[][]; // the same
      return lines.map((line) => line.map(({ text }) => String(text)).join("")).join("\n");
    }
    case "interactive": {
      const [first] = elementsOf(content["body"]);
      const said = first?.["tag"] === "div" ? String((first["text"] as Json)["content"]) : String(first?.["content"]);
      return said.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    }
    default:
      return "";
  }
}

/** Tags by which people would be called. */
export function callsIn(content: Json): number {
  return JSON.stringify(content).match(/<at\b/gi)?.length ?? 0;
}

export function buttonsOf(content: Json): readonly Button[] {
  return elementsOf(content["body"]).flatMap(({ tag, text, behaviors }) => {
    if (tag !== "button") return [];
    const [behavior] = behaviors as readonly Json[]; // it was checked
    return [{ label: String((text as Json)["content"]), value: behavior?.["value"] as Json }];
  });
}

export function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
