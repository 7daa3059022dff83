/** What our own parts have drawn, as plain HTML that needs nothing of ours: text, structure and links, no more. */

const KEPT: ReadonlySet<string> = new Set(
  `p h1 h2 h3 h4 h5 h6 ul ol li blockquote hr br strong em del code sup sub table thead tbody tr th td a mark
  math semantics mrow mi mo mn mtext mspace ms mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle
  mpadded mphantom menclose`.split(/\s+/),
);
const WITHOUT_END: ReadonlySet<string> = new Set(["hr", "br"]);
/** Tools of a page that lives, and what a reader does not see. */
const DROPPED = `svg, img, iframe, script, style, template, annotation, .code-head, .code-lines, .md-table-tools, .code-fold,
  button:not(.file-link), [aria-hidden="true"], .visually-hidden`;
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  ol: ["start"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan", "scope"],
  math: ["display"],
};

/** @returns HTML without a script, a style, an address of this gateway, or anything that loads. */
export function cleanHtml(node: Node): string {
  if (node instanceof Text) return escapeHtml(node.data);
  if (!(node instanceof Element)) return "";
  if (node instanceof HTMLInputElement && node.type === "checkbox") return node.checked ? "☑ " : "☐ ";
  if (node.matches(DROPPED)) return "";
  const tag = node.localName;
  if (tag === "pre" || node.matches(".code-body")) return `<pre>${escapeHtml(node.textContent ?? "")}</pre>`;
  const inner = [...node.childNodes].map(cleanHtml).join("");
  if (!KEPT.has(tag)) return node.matches("div, .footnote") ? `<div>${inner}</div>` : inner;
  const attributes = attributesOf(node, tag);
  if (tag === "a" && attributes === "") return inner; // it leads back into this gateway
  return WITHOUT_END.has(tag) ? `<${tag}>` : `<${tag}${attributes}>${inner}</${tag}>`;
}

function attributesOf(element: Element, tag: string): string {
  const href = tag === "a" ? element.getAttribute("href") : null;
  const link = href !== null && /^(?:https?|mailto):/i.test(href) ? ` href="${escapeHtml(href)}" rel="noreferrer"` : "";
  const others = (ATTRIBUTES[tag] ?? []).flatMap((name) => {
    const value = element.getAttribute(name);
    return value === null ? [] : ` ${name}="${escapeHtml(value)}"`;
  });
  return link + others.join("");
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
