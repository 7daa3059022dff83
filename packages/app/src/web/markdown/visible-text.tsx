/** Text in which invisible and direction-changing characters are drawn as marks: what is seen is what is there. */
import type { ComponentChild, VNode } from "preact";

// Bidi controls, zero-width and other format characters, C0/C1 controls besides tab and line feed.
const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;

export function VisibleText({ text }: { text: string }): VNode {
  return <>{visible(text)}</>;
}

export function visible(text: string): ComponentChild[] {
  const nodes: ComponentChild[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match[0] === "\r") continue;
    nodes.push(text.slice(from, match.index));
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(
      <mark key={match.index} class="hidden-char">
        U+{code}
      </mark>,
    );
    from = match.index + match[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}
