/** What a message of ours holds, in the forms of Feishu. Pure. */
import type { OutboundPiece } from "@margay/core/plugin";
import type { Wire } from "./json.ts";

/** `markdown`: of the dialect of cards. `plain`: words alone, which nothing is read in. */
export type Words =
  | { readonly type: "markdown"; readonly text: string; readonly plain: string }
  | { readonly type: "plain"; readonly text: string };

export interface Message {
  readonly msg_type: "interactive" | "post" | "text" | "image" | "file" | "audio" | "media";
  readonly content: Wire;
}

type Actions = NonNullable<OutboundPiece["actions"]>;

const TYPES = { allow: "primary", deny: "danger", plain: "default" } as const;
const SUMMARY_LENGTH = 80;
const JOINER = "\u2060";

export function wordsOf({ rendered, parts }: OutboundPiece): Words {
  if (rendered !== undefined) return { type: "markdown", ...rendered };
  return { type: "plain", text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") };
}

/** What of a card is written letter by letter. */
export const ANSWER = "answer";

/** @param thread where its buttons stand. @param isWritten letter by letter */
export function cardOf(words: Words, actions: Actions = [], thread?: string, isWritten = false): Message {
  const seen = words.type === "markdown" ? words.plain : words.text;
  const body =
    words.type === "markdown"
      ? { tag: "markdown", content: words.text, ...(isWritten && { element_id: ANSWER }) }
      : { tag: "div", text: { tag: "plain_text", content: quiet(words.text) } };
  const columns = actions.map(({ token, label, style }) => ({
    tag: "column",
    width: "auto",
    elements: [
      {
        tag: "button",
        type: TYPES[style],
        text: { tag: "plain_text", content: quiet(label) },
        behaviors: [{ type: "callback", value: { token, ...(thread !== undefined && { thread }) } }],
      },
    ],
  }));
  const content = {
    schema: "2.0",
    // What lists of chats and notices show.
    config: {
      update_multi: true,
      ...(isWritten && { streaming_mode: true }),
      summary: { content: shortened(quiet(seen)) },
    },
    body: { elements: [body, ...(columns.length === 0 ? [] : [{ tag: "column_set", flex_mode: "flow", columns }])] },
  };
  return { msg_type: "interactive", content };
}

/** Words that nothing is read in. */
export function postOf(text: string): Message {
  const content = quiet(text)
    .split("\n")
    .map((line) => [{ tag: "text", text: line }]);
  return { msg_type: "post", content: { zh_cn: { title: "", content } } };
}

/** Larger than all others; tags of calls are broken in it. */
export function textOnly(text: string): Message {
  return { msg_type: "text", content: { text: quiet(text) } };
}

/** As the request holds it: a text in a text. */
export function bytesOf({ content }: Message): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(content)));
}

function quiet(text: string): string {
  return text.replace(/<(?=at\b)/gi, `<${JOINER}`);
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return [...line].length > SUMMARY_LENGTH ? `${[...line].slice(0, SUMMARY_LENGTH - 1).join("")}…` : line;
}
