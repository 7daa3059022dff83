/** What the model wrote. While it streams, closed blocks keep their nodes and only the open tail is drawn again. */
import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { createCutter, type Block, type Cutter } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import { createParser } from "./parser.ts";
import { renderBlocks } from "./render.tsx";
import "./markdown.css";

const parse = createParser();

export function Markdown({ text, live = false }: { text: string; live?: boolean }): VNode {
  const cutter = useRef<Cutter>(undefined);
  const nodes = useRef(new WeakMap<Block, VNode>());
  cutter.current ??= createCutter(parse);
  const mine = cutter.current;
  const { blocks, fence } = useMemo(() => mine.cut(text, live), [text, live]);
  const shown = blocks.map((block) => nodeOf(nodes.current, block));
  // In the same list as the blocks: when it closes, it is the block of this key.
  if (fence)
    shown.push(
      <div key={blocks.length}>
        <CodeBlock key={0} code={fence.text} info={fence.info} open />
      </div>,
    );
  return <div class="md">{shown}</div>;
}

/** The same node object for the same block: nothing below it is compared or drawn again. */
function nodeOf(nodes: WeakMap<Block, VNode>, block: Block): VNode {
  const known = nodes.get(block);
  if (known) return known;
  const node = <div key={block.key}>{renderBlocks(block.tokens)}</div>;
  nodes.set(block, node);
  return node;
}
