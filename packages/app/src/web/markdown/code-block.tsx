/** A fenced block: code, or a diagram once it is closed. */
import type { VNode } from "preact";
import { Code } from "./code.tsx";
import { Diagram } from "./diagram.tsx";

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
  return <Code code={code} language={language} open={open} />;
}
