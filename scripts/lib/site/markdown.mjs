// Markdown → HTML of a page: anchors for headings and for rows of tables, links between pages, colours by class.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

import { root } from "../toolchain.mjs";
import { linkBetween } from "./pages.mjs";

/** Files beside the pages that are copied as they are. */
export const FILES = ["openapi.json", "ws.schema.json"];

/** `render(page)` → `{ html, headings, parts }`. `parts` is what the search knows: `{ anchor, heading, text }`. */
export async function createMarkdown(pages) {
  const [{ default: MarkdownIt }, { default: cjk }, { default: highlighter }] = await Promise.all([
    import("markdown-it"),
    import("markdown-it-cjk-friendly"),
    import("highlight.js/lib/common"),
  ]);
  const markdown = new MarkdownIt({ html: false, linkify: false, highlight }).use(cjk);
  markdown.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="region" aria-label="table"><table>\n';
  markdown.renderer.rules.table_close = () => "</table></div>\n";
  const bySource = new Map([...pages.values()].map((page) => [page.source, page]));

  function highlight(code, language) {
    const name = { console: "shell", jsonc: "json", ts: "typescript", js: "javascript" }[language] ?? language;
    return highlighter.getLanguage(name) === undefined ? "" : highlighter.highlight(code, { language: name }).value;
  }

  return {
    render(page) {
      const tokens = markdown.parse(withoutComments(page.text), {});
      const found = { headings: [], parts: [], taken: new Set() };
      let part = addPart(found, "", page.title);
      for (const [index, token] of tokens.entries()) {
        if (token.type === "heading_open") {
          const text = textOf(tokens[index + 1]);
          const anchor = token.tag === "h1" ? "" : unique(slug(text), found.taken);
          if (anchor !== "") {
            token.attrSet("id", anchor);
            if (token.tag === "h2") found.headings.push({ anchor, text });
            part = addPart(found, anchor, text);
          }
        } else if (token.type === "tr_open") {
          const code = firstCode(tokens, index);
          if (code !== undefined && !found.taken.has(code)) {
            found.taken.add(code);
            token.attrSet("id", code);
            addPart(found, code, code).text = rowText(tokens, index);
          }
        } else if (token.type === "inline") {
          part.text += ` ${textOf(token)}`;
          relink(token, page, bySource);
        } else if (token.type === "fence") part.text += ` ${token.content}`;
      }
      return { html: markdown.renderer.render(tokens, markdown.options, {}), ...found };
    },
  };
}

function addPart({ parts }, anchor, heading) {
  const part = { anchor, heading, text: "" };
  parts.push(part);
  return part;
}

function withoutComments(text) {
  return text.replaceAll(/^<!--[\s\S]*?-->\n/gm, "");
}

/** What a reader sees of an inline token. */
function textOf({ children }) {
  return (children ?? []).map(({ content, type }) => (type === "softbreak" ? " " : content)).join("");
}

/** The code that a row of a table is about: the whole of its first cell. */
function firstCode(tokens, index) {
  const [cell, inline] = tokens.slice(index + 1, index + 3);
  if (cell?.type !== "td_open" || inline?.children?.length !== 1) return undefined;
  const [child] = inline.children;
  return child.type === "code_inline" && !/\s/.test(child.content) ? child.content : undefined;
}

function rowText(tokens, index) {
  const end = tokens.findIndex(({ type }, at) => at > index && type === "tr_close");
  return tokens
    .slice(index, end)
    .filter(({ type }) => type === "inline")
    .map(textOf)
    .join(" ");
}

/** As GitHub makes them: a link into a page works there and here. */
function slug(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function unique(anchor, taken) {
  let name = anchor;
  for (let n = 1; taken.has(name); n++) name = `${anchor}-${n}`;
  taken.add(name);
  return name;
}

/** Links to Markdown lead to the page made of it; what is no page (a source file) stays text. @throws for what is nowhere. */
function relink({ children }, page, bySource) {
  let isText = false;
  for (const token of children ?? []) {
    if (token.type === "link_close" && isText) {
      Object.assign(token, { type: "text", tag: "", content: "" });
      isText = false;
    }
    if (token.type === "image") draw(token, page);
    if (token.type !== "link_open") continue;
    const href = token.attrGet("href") ?? "";
    if (/^(?:[a-z]+:|#)/.test(href)) continue;
    const [path = "", anchor] = href.split("#");
    const source = normalize(join(dirname(page.source), decodeURIComponent(path))).replace(/\/$/, "");
    const file = FILES.find((name) => source === `docs/${name}`);
    const target = bySource.get(source) ?? bySource.get(`${source}/README.md`);
    if (target === undefined && file === undefined) {
      if (!existsSync(join(root, source))) throw new Error(`${page.source} links to ${href}, which does not exist.`);
      Object.assign(token, { type: "text", tag: "", content: "", attrs: null });
      isText = true;
    } else {
      const to = linkBetween(page.url, file ?? target.url);
      token.attrSet("href", anchor === undefined ? to : `${to}#${anchor}`);
    }
  }
}

/** A drawing stands in the page itself: one request less, and it needs no rule of its own in the policy. @throws for another kind. */
function draw(token, page) {
  const source = normalize(join(dirname(page.source), token.attrGet("src") ?? ""));
  if (!source.endsWith(".svg")) throw new Error(`${page.source} shows ${source}: drawings are SVG files.`);
  const label = token.content.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const content = readFileSync(join(root, source), "utf8")
    .trim()
    .replace("<svg ", `<svg role="img" aria-label="${label}" `);
  Object.assign(token, { type: "html_inline", tag: "", content, children: null });
}
