/** A chat as one HTML file that runs nothing, loads nothing, and says what it said: made in this browser, of what the gateway exports. */
import { callsOf, isCut } from "@margay/core/internal/state";
import type { Item } from "@margay/core/state";
import { h, render } from "preact";
import { fetchBlob } from "../api.ts";
import { loadMarkdown, Markdown } from "../markdown/markdown.tsx";
import { fullTime } from "../texts/format.ts";
import { languageTag } from "../texts/texts.ts";
import { cleanHtml, escapeHtml } from "./clean-html.ts";
import { SHARED_STYLE } from "./style.ts";
import { t } from "./texts.ts";

/** What leaves besides the words of both sides. */
export interface Choice {
  readonly tools: boolean;
  readonly thinking: boolean;
  readonly pictures: boolean;
  readonly times: boolean;
}

export interface Shared {
  readonly title: string;
  readonly html: string;
  readonly messages: number;
  /** There are so many, whether they leave or not. */
  readonly calls: number;
  readonly pictures: number;
  /** Values that margay took for secrets, and put `[redacted]` in their place. */
  readonly masked: number;
}

interface Exported {
  readonly title: string;
  readonly items: readonly Item[];
}
type Said = Extract<Item, { kind: "user" | "assistant" }>;

/** What the policy of the file allows: its own style, and pictures that stand in it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const PICTURES = /^image\/(png|jpeg|gif|webp|avif)$/;
const FORMULA_MS = 50;
const FORMULA_LOOKS = 20;

/** @throws ApiProblem; the signal's reason. */
export async function makePage(session: string, choice: Choice, signal: AbortSignal): Promise<Shared> {
  const query = { format: "json", include: "tools,thinking" };
  const [blob] = await Promise.all([
    fetchBlob(`/sessions/${session}/export`, { query, accept: "*/*", signal }),
    loadMarkdown(),
  ]);
  const { title, items } = JSON.parse(await blob.text()) as Exported; // as the gateway wrote it
  const said = items.filter((item): item is Said => item.kind === "user" || item.kind === "assistant");
  const parts: string[] = [];
  for (const item of said) {
    const part = await articleOf(item, session, choice, signal);
    if (part !== "") parts.push(part);
    signal.throwIfAborted();
  }
  const name = title === "" ? t("untitled") : title;
  const html = documentOf(name, parts);
  return {
    title: name,
    html,
    messages: parts.length,
    calls: said.reduce((sum, item) => sum + (item.kind === "assistant" ? callsOf(item).length : 0), 0),
    pictures: said.reduce((sum, item) => sum + mediaOf(item).length, 0),
    masked: html.split("[redacted]").length - 1,
  };
}

function documentOf(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="${languageTag()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${SHARED_STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${parts.join("\n")}
</main>
<footer>${escapeHtml(t("made"))}</footer>
</body>
</html>
`;
}

async function articleOf(item: Said, session: string, choice: Choice, signal: AbortSignal): Promise<string> {
  const pieces: string[] = [];
  for (const part of item.parts) {
    if (part.type === "text") pieces.push(await markdownHtml(part.text));
    else if (part.type === "media") pieces.push(await mediaHtml(part, session, choice, signal));
    else if (part.type === "thinking" && choice.thinking) pieces.push(folded(t("thinking"), part.text));
    else if (part.type === "call" && choice.tools) pieces.push(callHtml(part.call));
  }
  const body = pieces.filter((piece) => piece !== "").join("\n");
  if (body === "") return "";
  const who = item.kind === "user" ? (item.from.name ?? t("you")) : "margay";
  const time = choice.times ? ` <time>${escapeHtml(fullTime(item.at))}</time>` : "";
  return `<article class="${item.kind}"><h2>${escapeHtml(who)}${time}</h2>\n${body}\n</article>`;
}

/** Drawn by the same parts as in the chat, in a place that nobody sees; of diagrams the source stays. */
async function markdownHtml(text: string): Promise<string> {
  const place = document.createElement("div");
  render(h(Markdown, { text: text.replaceAll(/^(\s*(?:```|~~~)+)\s*mermaid/gm, "$1text") }), place);
  for (let look = 0; look < FORMULA_LOOKS && place.querySelector(".math > code:not(.failed)") !== null; look++)
    await new Promise((resolve) => setTimeout(resolve, FORMULA_MS));
  const html = [...place.childNodes].map(cleanHtml).join("");
  render(null, place);
  return html;
}

type Media = Extract<Said["parts"][number], { type: "media" }>;

function mediaOf(item: Said): readonly Media[] {
  return item.parts.flatMap((part) => (part.type === "media" ? part : []));
}

async function mediaHtml(part: Media, session: string, choice: Choice, signal: AbortSignal): Promise<string> {
  const name = escapeHtml(part.name ?? part.mediaType);
  if (!choice.pictures || !PICTURES.test(part.mediaType)) return `<p class="file">${name}</p>`;
  const blob = await fetchBlob(`/media/${part.blob.sha256}`, { query: { session }, accept: "*/*", signal });
  return `<p><img alt="${name}" src="${await dataUrl(new Blob([blob], { type: part.mediaType }))}"></p>`;
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(blob);
  });
}

function callHtml({ name, preview, result }: ReturnType<typeof callsOf>[number]): string {
  const text =
    result === undefined
      ? ""
      : isCut(result)
        ? `${result.head}\n…\n${result.tail}`
        : result.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
  return folded(`${name}: ${preview}`, text);
}

function folded(title: string, text: string): string {
  return `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(text)}</pre></details>`;
}
