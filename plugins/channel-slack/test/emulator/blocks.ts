// What Slack takes as blocks, and what people see of them.

import { isRecord, type Wire } from "./http.ts";
import { refuse } from "./refusal.ts";

/** @throws Refusal for what Slack would not show. */
export function checkBlocks(value: unknown): readonly Wire[] {
  if (!Array.isArray(value)) throw refuse("invalid_blocks_format");
  if (value.length > 50) throw refuse("invalid_blocks", ["no more than 50 items allowed [json-pointer:/blocks]"]);
  const blocks = value as readonly unknown[];
  const ids = new Set<unknown>();
  for (const [index, block] of blocks.entries()) {
    const wrong = (what: string): Error => refuse("invalid_blocks", [`${what} [json-pointer:/blocks/${index}]`]);
    if (!isRecord(block)) throw wrong("must be an object");
    if (block["type"] === "section") checkText(block["text"], 3000, ["mrkdwn", "plain_text"], wrong);
    else if (block["type"] === "actions") checkButtons(block["elements"], ids, wrong);
    else throw wrong(`unsupported type: ${String(block["type"])}`);
  }
  return blocks as readonly Wire[]; // each was looked at
}

type Wrong = (what: string) => Error;

function checkText(text: unknown, max: number, types: readonly string[], wrong: Wrong): void {
  if (!isRecord(text) || !types.includes(String(text["type"]))) throw wrong("missing or wrong text");
  const said = text["text"];
  if (typeof said !== "string" || said.length === 0) throw wrong("must be more than 0 characters");
  if (said.length > max) throw wrong(`must be less than ${max + 1} characters`);
}

function checkButtons(elements: unknown, ids: Set<unknown>, wrong: Wrong): void {
  if (!Array.isArray(elements) || elements.length === 0 || elements.length > 25) throw wrong("1 to 25 elements");
  for (const element of elements as readonly unknown[]) {
    if (!isRecord(element) || element["type"] !== "button") throw wrong("unsupported element");
    checkText(element["text"], 75, ["plain_text"], wrong);
    const { action_id: id, value, style } = element;
    if (typeof id !== "string" || id.length > 255 || ids.has(id)) throw wrong("`action_id` is no new one");
    ids.add(id);
    if (typeof value !== "string" || value.length > 2000) throw wrong("value is too long");
    if (style !== undefined && style !== "primary" && style !== "danger") throw wrong("no such style");
  }
}

/** As people see them: links by their words, no escapes, nothing that nobody sees. */
export function seenIn(blocks: readonly Wire[]): string {
  return textsIn(blocks)
    .map(({ type, text }) => (type === "plain_text" ? text : readMrkdwn(text)))
    .join("");
}

/** Who is called: `!channel`, `@U…`. */
export function callsIn(text: string, blocks: readonly Wire[]): readonly string[] {
  const all = [text, ...textsIn(blocks).flatMap(({ type, text: said }) => (type === "mrkdwn" ? [said] : []))].join(
    "\n",
  );
  return [...all.matchAll(/<([!@][^>|]*)/g)].flatMap(([, whom]) => whom ?? []);
}

export function buttonsIn(
  blocks: readonly Wire[],
): readonly { readonly label: string; readonly value: string; readonly style: unknown; readonly id: string }[] {
  return blocks.flatMap(({ elements }) =>
    (Array.isArray(elements) ? (elements as readonly Wire[]) : []).map((button) => ({
      label: String((button["text"] as Wire)["text"]),
      value: String(button["value"]),
      style: button["style"],
      id: String(button["action_id"]),
    })),
  );
}

function textsIn(blocks: readonly Wire[]): readonly { readonly type: string; readonly text: string }[] {
  return blocks.flatMap(({ text }) =>
    isRecord(text) ? [{ type: String(text["type"]), text: String(text["text"]) }] : [],
  );
}

export function readMrkdwn(text: string): string {
  return text
    .replaceAll(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_, address: string, label: string | undefined) => label ?? address)
    .replaceAll("\u200b", "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
