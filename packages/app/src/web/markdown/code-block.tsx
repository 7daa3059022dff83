/** A fenced block: code, or a diagram once it is closed; some can be looked at beside the chat. */
import type { VNode } from "preact";
import { Code } from "./code.tsx";
import { Diagram } from "./diagram.tsx";

/** What the page of previews draws (`preview/kinds.ts`). */
const LOOKED_AT = /^(?:x?html?|svg|csv|tsv|md|markdown)$/i;

export interface CodeBlockProps {
  readonly code: string;
  /** What stands after the fence. */
  readonly info: string;
  /** Still being written: neither colored nor folded. */
  readonly open: boolean;
}

export function CodeBlock({ code, info, open }: CodeBlockProps): VNode {
  const language = info.trim().split(/[\s{]/)[0] ?? "";
  if (language === "mermaid" && !open) return <Diagram source={code} />;
  const look = (): void => void import("../preview/block.ts").then(({ openBlock }) => openBlock({ language, code }));
  return (
    <Code code={code} language={language} open={open} {...(!open && LOOKED_AT.test(language) && { onLook: look })} />
  );
}
