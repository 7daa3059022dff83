// The readable part of an HTML page. Heavy: load it at first use, and away from the event loop (readable-worker.ts).
import { Defuddle } from "defuddle/node";
import { parseHTML } from "linkedom";

export type ExtractMode = "markdown" | "text";
export interface Readable {
  readonly title: string;
  /** Empty when the page has no text at all. */
  readonly text: string;
}

/** Never fetches anything. Falls back to the whole text of the page when no article is found. */
export async function extractReadable(html: string, url: string, mode: ExtractMode): Promise<Readable> {
  const article = await Defuddle(html, url, {
    markdown: mode === "markdown",
    // Site extractors would ask third-party services otherwise.
    useAsync: false,
    fetch: () => Promise.reject(new Error("pages are read as they were fetched")),
  }).catch(() => undefined); // a page that breaks the extractor still has its text
  const content = article?.content ?? "";
  const text = mode === "markdown" ? content.trim() : plainText(content);
  const title = article?.title.trim() ?? "";
  return { title, text: /[\p{L}\p{N}]|!\[/u.test(text) ? text : plainText(html) };
}

/** Text with a line per block. */
function plainText(html: string): string {
  const { document } = parseHTML(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  for (const hidden of document.querySelectorAll("script, style, noscript, template, head, svg")) hidden.remove();
  for (const block of document.querySelectorAll(BLOCKS)) block.append("\n");
  for (const cell of document.querySelectorAll("td, th")) cell.append(" ");
  const lines = (document.body?.textContent ?? "").split("\n").map((line: string) => line.replace(/\s+/g, " ").trim());
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const BLOCKS =
  "address, article, aside, blockquote, br, dd, div, dl, dt, figcaption, footer, form, h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, p, pre, section, table, tr, ul";
