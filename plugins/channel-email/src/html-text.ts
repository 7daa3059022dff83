/** HTML of a mail as text that can be read: nothing is run, nothing is loaded, nothing that is hidden is said. */
import { convert, type FormatCallback, type HtmlToTextOptions, type SelectorDefinition } from "html-to-text";
import { MARKS, withoutMarks } from "./marks.ts";

/** A node of the parsed page: an element, or text with `data`. */
type Element = Parameters<FormatCallback>[0];

/** More is a catalogue, and nobody reads it. What is cut off is said to be. */
const MOST = 1_000_000;
/** The parser takes the square of the depth; mail programs need a hundred. */
const DEEPEST = 1_000;
/** Never open for long: they have no end, or end where the next one begins. */
const VOID = new Set("area base br col embed hr img input link meta source wbr".split(" "));
const ENDED_BY_NEXT = new Set("p li td th tr dt dd option".split(" "));

const ONE_LINE = { leadingLineBreaks: 1, trailingLineBreaks: 1 };
const SHOWN: readonly (readonly [selector: string, format: string, options?: SelectorDefinition["options"]])[] = [
  ["*", "inline"],
  ...[
    "article",
    "aside",
    "div",
    "footer",
    "form",
    "header",
    "main",
    "nav",
    "section",
    "address",
    "center",
    "dl",
    "dt",
    "dd",
  ].map((tag) => [tag, "block", ONE_LINE] as const),
  ["p", "paragraph"],
  ["pre", "pre"],
  ["ul", "unorderedList", { itemPrefix: "- " }],
  ["ol", "orderedList"],
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, "title"] as const),
  ["a", "link"],
  ["img", "picture"],
  ["table", "block", ONE_LINE],
  ["tr", "block", ONE_LINE],
  ["td", "cell"],
  ["th", "cell"],
  ["blockquote", "quote"],
  ["br", "lineBreak"],
  ["wbr", "wbr"],
  ["hr", "horizontalLine", { length: 20 }],
];
const SKIPPED = [
  "script",
  "style",
  "noscript",
  "head",
  "title",
  "template",
  "iframe",
  "object",
  "svg",
  "math",
  "textarea",
  "select",
];
const INTRODUCTIONS = [".gmail_attr", ".moz-cite-prefix", ".protonmail_quote-header"];
const OLDER = [
  "#divRplyFwdMsg",
  "#appendonsend",
  "#mail-editor-reference-message-container",
  ".OutlookMessageHeader",
  ".yahoo_quoted",
];
const SIGNATURES = [".gmail_signature", ".moz-signature", "#Signature", ".protonmail_signature_block"];

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxInputLength: MOST },
  formatters: {
    shown: (element, walk, builder, options) => {
      if (isHidden(element)) return;
      builder.options.formatters?.[String(options["as"])]?.(element, walk, builder, options);
    },
    title: (element, walk, builder) => {
      builder.openBlock({ leadingLineBreaks: 2 });
      builder.addLiteral(`${"#".repeat(Number(nameOf(element).slice(1)))} `);
      walk(element.children, builder);
      builder.closeBlock({ trailingLineBreaks: 2 });
    },
    link: (element, walk, builder) => {
      const href = attribute(element, "href").trim();
      walk(element.children, builder);
      // The words of a link may name another site than it leads to: both are shown. No other scheme can be opened.
      const shown = /^(?:https?:\/\/|mailto:|tel:)/i.test(href) ? href.replace(/^(?:mailto|tel):/i, "") : "";
      if (shown !== "" && bare(textOf(element)) !== bare(shown))
        builder.addInline(` (${shown})`, { noWordTransform: true });
    },
    picture: (element, _walk, builder) => {
      const alt = attribute(element, "alt").trim();
      if (alt !== "") builder.addInline(`[${alt}]`);
    },
    cell: (element, walk, builder) => {
      if (hasBlocks(element)) {
        builder.openBlock({ leadingLineBreaks: 1 });
        walk(element.children, builder);
        builder.closeBlock({ trailingLineBreaks: 1 });
        return;
      }
      if (followsCell(element)) builder.addLiteral(" | ");
      walk(unwrapped(element), builder);
    },
    quote: (element, walk, builder) => {
      builder.openBlock({ leadingLineBreaks: 1 });
      walk(element.children, builder);
      builder.closeBlock({
        trailingLineBreaks: 1,
        blockTransform: (text) =>
          text
            .split("\n")
            .map((line) => `>${line === "" ? "" : " "}${line}`)
            .join("\n"),
      });
    },
    introduction: marked(MARKS.attribution),
    older: marked(MARKS.older),
    signature: marked(MARKS.signature, MARKS.signatureEnd),
  },
  selectors: [
    ...SHOWN.map(([selector, as, options]) => ({ selector, format: "shown", options: { ...options, as } })),
    ...SKIPPED.map((selector) => ({ selector, format: "skip" })),
    ...INTRODUCTIONS.map((selector) => ({ selector, format: "shown", options: { as: "introduction" } })),
    ...OLDER.map((selector) => ({ selector, format: "shown", options: { as: "older" } })),
    ...SIGNATURES.map((selector) => ({ selector, format: "shown", options: { as: "signature" } })),
  ],
};

/** Lines with `>` before quotes, as in a plain mail, and with marks where the elements say more. */
export function htmlToLines(html: string): readonly string[] {
  const clean = withoutMarks(html.slice(0, MOST), " ");
  const more = html.length > MOST ? ["[…]"] : [];
  // What no mail program writes is still read, as words alone.
  if (isTooDeep(clean)) return [...stripped(clean).split("\n"), ...more];
  try {
    return [...convert(clean, OPTIONS).split("\n"), ...more];
  } catch {
    return [...stripped(clean).split("\n"), ...more]; // the stack was less than thought
  }
}

/** Rather too often: what a tag closes besides itself is not looked at. */
function isTooDeep(html: string): boolean {
  const open = new Map<string, number>();
  let depth = 0;
  let last = "";
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9:]*)/gi)) {
    const tag = name.toLowerCase();
    const count = open.get(tag) ?? 0;
    const ends = slash === "/";
    if (VOID.has(tag) || (ends && count === 0) || (!ends && tag === last && ENDED_BY_NEXT.has(tag))) continue;
    open.set(tag, count + (ends ? -1 : 1));
    depth += ends ? -1 : 1;
    last = ends ? "" : tag;
    if (depth > DEEPEST) return true;
  }
  return false;
}

function stripped(html: string): string {
  return html
    .replace(/<(script|style)\b[^>]*>[^]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/[ \t]+/g, " ");
}

function marked(before: string, after = ""): FormatCallback {
  return (element, walk, builder) => {
    builder.openBlock({ leadingLineBreaks: 1 });
    builder.addLiteral(before);
    walk(element.children, builder);
    if (after !== "") builder.addLiteral(after);
    builder.closeBlock({ trailingLineBreaks: 1 });
  };
}

function attribute(element: Element, name: string): string {
  const attributes = element.attribs as Readonly<Record<string, string>> | undefined;
  return attributes?.[name] ?? "";
}

/** What a reader would not see is no message of the sender's to us: preview texts, and words for machines alone. */
function isHidden(element: Element): boolean {
  const attributes = element.attribs as Readonly<Record<string, string>> | undefined;
  if (attributes?.["hidden"] !== undefined) return true;
  const style = (attributes?.["style"] ?? "").toLowerCase().replace(/\/\*.*?\*\/|\s+/g, "");
  return /(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|mso-hide:all|opacity:0(?:\.0+)?(?:%|;|!|$)|font-size:0(?:\.0+)?(?:px|pt|em|rem|%)?(?:;|!|$)|max-height:0(?:px)?(?:;|!|$))/.test(
    style,
  );
}

const BLOCKS = new Set([
  "table",
  "ul",
  "ol",
  "blockquote",
  "pre",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "br",
  "hr",
  "form",
]);
const WRAPPERS = new Set(["p", "div", "center"]);

/** A cell of a table of data has one line; one that lays out a page has blocks. */
function hasBlocks(element: Element, depth = 0): boolean {
  const children = childrenOf(element);
  const wrappers = children.filter((child) => WRAPPERS.has(nameOf(child)));
  if (wrappers.length > 1 || depth > 4) return true;
  return (
    children.some((child) => BLOCKS.has(nameOf(child))) || wrappers.some((wrapper) => hasBlocks(wrapper, depth + 1))
  );
}

/** Outlook puts a paragraph into every cell. */
function unwrapped(element: Element): Element[] {
  return childrenOf(element).flatMap((child) => (WRAPPERS.has(nameOf(child)) ? unwrapped(child) : [child]));
}

/** Whether the line goes on after another cell of data. */
function followsCell(element: Element): boolean {
  let before = previous(element);
  while (before !== undefined && !/^t[dh]$/.test(nameOf(before))) before = previous(before);
  return before !== undefined && !hasBlocks(before);
}

function previous(element: Element): Element | undefined {
  return (element as Element & { readonly prev?: Element | null }).prev ?? undefined;
}

function childrenOf(element: Element): readonly Element[] {
  return element.children ?? [];
}

function nameOf(element: Element): string {
  return element.name ?? "";
}

/** Of a link, as far as an address can be long. */
function textOf(element: Element): string {
  let text = "";
  const waiting: Element[] = [element];
  for (let node = waiting.pop(); node !== undefined && text.length < 4_000; node = waiting.pop()) {
    if (node.type === "text") text += node.data ?? "";
    for (const child of childrenOf(node).toReversed()) waiting.push(child);
  }
  return text;
}

function bare(link: string): string {
  return link
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)/, "")
    .replace(/\/$/, "");
}
