/** Tokens → nodes. Every token type is listed: what is not here is drawn as its text. */
import type { ComponentChild, VNode } from "preact";
import { CodeBlock } from "./code-block.tsx";
import { Footnote, FootnoteMark } from "./footnote.tsx";
import { Link, RemoteImage } from "./link.tsx";
import { Math } from "./math.tsx";
import type { Token } from "./parser.ts";
import { Table } from "./table.tsx";

/** Headings of an answer stand below the chat's own. */
const HEADINGS = { h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6", h6: "h6" } as const;

export function renderBlocks(tokens: readonly Token[]): ComponentChild[] {
  return walk(tokens, 0, tokens.length);
}

function walk(tokens: readonly Token[], from: number, to: number): ComponentChild[] {
  const nodes: ComponentChild[] = [];
  for (let at = from; at < to; at += 1) {
    const token = tokens[at];
    if (!token) continue;
    if (token.nesting === 1) {
      const end = closing(tokens, at, to);
      nodes.push(container(token, tokens, at + 1, end, nodes.length));
      at = end;
    } else nodes.push(...leaf(token, nodes.length));
  }
  return nodes;
}

function closing(tokens: readonly Token[], at: number, to: number): number {
  let depth = 0;
  for (let end = at; end < to; end += 1) {
    depth += tokens[end]?.nesting ?? 0;
    if (depth === 0) return end;
  }
  return to;
}

function container(token: Token, tokens: readonly Token[], from: number, to: number, key: number): ComponentChild {
  const inside = (): ComponentChild[] => walk(tokens, from, to);
  // Each block of the answer runs as its own first letter does; what is inside of it goes along.
  const dir = token.level === 0 ? ({ dir: "auto" } as const) : {};
  switch (token.type) {
    case "paragraph_open":
      return token.hidden ? (
        <span key={key}>{inside()}</span>
      ) : (
        <p key={key} {...dir}>
          {inside()}
        </p>
      );
    case "heading_open": {
      const Tag = HEADINGS[token.tag as keyof typeof HEADINGS] ?? "h6";
      return (
        <Tag key={key} {...dir}>
          {inside()}
        </Tag>
      );
    }
    case "bullet_list_open":
      return (
        <ul key={key} {...dir}>
          {inside()}
        </ul>
      );
    case "ordered_list_open":
      return (
        <ol key={key} {...dir} start={Number(token.attrGet("start") ?? 1)}>
          {inside()}
        </ol>
      );
    case "list_item_open":
      return listItem(tokens, from, to, key);
    case "blockquote_open":
      return (
        <blockquote key={key} {...dir}>
          {inside()}
        </blockquote>
      );
    case "footnote_open":
      return (
        <Footnote key={key} number={numberOf(token)}>
          {inside()}
        </Footnote>
      );
    case "em_open":
      return <em key={key}>{inside()}</em>;
    case "strong_open":
      return <strong key={key}>{inside()}</strong>;
    case "s_open":
      return <s key={key}>{inside()}</s>;
    case "link_open":
      return (
        <Link key={key} href={String(token.attrGet("href") ?? "")} text={plainText(tokens.slice(from, to))}>
          {inside()}
        </Link>
      );
    default:
      return partOfTable(token, inside, key);
  }
}

function partOfTable(token: Token, inside: () => ComponentChild[], key: number): ComponentChild {
  switch (token.type) {
    case "table_open":
      return <Table key={key}>{inside()}</Table>;
    case "thead_open":
      return <thead key={key}>{inside()}</thead>;
    case "tbody_open":
      return <tbody key={key}>{inside()}</tbody>;
    case "tr_open":
      return <tr key={key}>{inside()}</tr>;
    case "th_open":
    case "td_open": {
      const Tag = token.type === "th_open" ? "th" : "td";
      const align = /text-align:(left|right|center)/.exec(String(token.attrGet("style") ?? ""))?.[1];
      return (
        <Tag key={key} {...(align !== undefined && { class: `align-${align}` })}>
          {inside()}
        </Tag>
      );
    }
    default:
      return <span key={key}>{inside()}</span>;
  }
}

function leaf(token: Token, key: number): ComponentChild[] {
  switch (token.type) {
    case "inline":
      return walk(token.children ?? [], 0, token.children?.length ?? 0);
    case "text":
    case "html_block":
    case "html_inline":
      return [token.content];
    case "softbreak":
      return ["\n"];
    case "hardbreak":
      return [<br key={key} />];
    case "code_inline":
      return [<code key={key}>{token.content}</code>];
    case "fence":
    case "code_block":
      return [<CodeBlock key={key} code={token.content} info={token.info} open={false} />];
    case "hr":
      return [<hr key={key} />];
    case "image":
      return [<RemoteImage key={key} src={String(token.attrGet("src") ?? "")} alt={token.content} />];
    case "footnote_ref":
      return [<FootnoteMark key={key} number={numberOf(token)} />];
    case "math_inline":
      return [<Math key={key} formula={token.content} display={/^(\$\$|\\\[)/.test(token.markup)} />];
    case "math_block":
      return [<Math key={key} formula={token.content} display />];
    default:
      return [token.content];
  }
}

function numberOf({ meta }: Token): number {
  return (meta as { number: number } | null)?.number ?? 0; // set by the rule of footnotes
}

/** `[ ] ` and `[x] ` begin a task: shown as a box nobody can tick. */
function listItem(tokens: readonly Token[], from: number, to: number, key: number): VNode {
  const inline = tokens.slice(from, to).find(({ type }) => type === "inline");
  const first = inline?.children?.[0];
  const task = first?.type === "text" ? /^\[([ xX])\]\s/.exec(first.content) : null;
  if (!task || !first) return <li key={key}>{walk(tokens, from, to)}</li>;
  const done = task[1] !== " ";
  const rest = { ...first, content: first.content.slice(task[0].length) } as Token;
  const changed = tokens.map((token) =>
    token === inline ? ({ ...token, children: [rest, ...(token.children ?? []).slice(1)] } as Token) : token,
  );
  return (
    <li key={key} class="task">
      <input type="checkbox" checked={done} disabled aria-label={done ? "✓" : "–"} />
      <span>{walk(changed, from, to)}</span>
    </li>
  );
}

function plainText(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.children ? plainText(token.children) : token.content)).join("");
}
