/** Markdown as it is drawn, with what reads it: a part of its own, see `markdown.tsx`. While it streams, closed blocks keep their nodes and only the open tail is drawn again. */
import { Component, type VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { createCutter, type Block, type Cutter, type OpenFence } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import { createParser } from "./parser.ts";
import { renderBlocks } from "./render.tsx";

const parse = createParser();

export interface MarkdownProps {
  readonly text: string;
  readonly live?: boolean;
}

export function MarkdownView({ text, live = false }: MarkdownProps): VNode {
  const cutter = useRef<Cutter>(undefined);
  cutter.current ??= createCutter(parse);
  const mine = cutter.current;
  const { blocks, fence } = useMemo(() => mine.cut(text, live), [text, live]);
  const shown = blocks.map((block) => <BlockView key={block.key} block={block} />);
  // In the same list as the blocks: when it closes, it is the block of this key.
  if (fence) shown.push(<BlockView key={blocks.length} block={fence} />);
  return <div class="md">{shown}</div>;
}

/**
 * The same block: nothing below it is compared or drawn again. A kept node would do that too, but it holds the tree in which
 * it was drawn first, and so every version of the page that a block of an answer was closed in.
 */
class BlockView extends Component<BlockProps> {
  override shouldComponentUpdate({ block }: BlockProps): boolean {
    return block !== this.props.block;
  }
  override render({ block }: BlockProps): VNode {
    if ("tokens" in block) return <div>{renderBlocks(block.tokens)}</div>;
    return (
      <div>
        <CodeBlock key={0} code={block.text} info={block.info} open />
      </div>
    );
  }
}

interface BlockProps {
  readonly block: Block | OpenFence;
}
