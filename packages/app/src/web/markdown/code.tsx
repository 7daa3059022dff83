/** Code: language, copy, wrap, numbers over 10 lines, folded over 40; colored when idle after the block closed. */
import type { ComponentChild, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FoundText, type Found } from "./found-text.tsx";
import { t } from "./texts.ts";
import { VisibleText } from "./visible-text.tsx";

const NUMBERED_FROM = 10;
const FOLDED_FROM = 40;
const FOLDED_TO = 20;
const MAX_COLORED_CHARS = 200_000;

interface CodeProps {
  readonly code: string;
  readonly language: string;
  /** The block is still being written. */
  readonly open: boolean;
  /** Shows it beside the chat as what it is. */
  readonly onLook?: () => void;
  /** While something is found in it, all of it is shown, without colors. */
  readonly found?: Found;
}

export function Code({ code, language, open, onLook, found }: CodeProps): VNode {
  const [wrap, setWrap] = useState(false);
  const [unfolded, setUnfolded] = useState(false);
  const text = code.endsWith("\n") ? code.slice(0, -1) : code;
  const lines = text.split("\n").length;
  const isSearched = found !== undefined && found.ranges.length > 0;
  const folded = !open && !unfolded && !isSearched && lines > FOLDED_FROM;
  const shown = folded ? text.split("\n").slice(0, FOLDED_TO).join("\n") : text;
  const colored = useColors(shown, language, !open && text.length <= MAX_COLORED_CHARS);
  return (
    <div class={wrap ? "code wrap" : "code"} dir="ltr">
      <div class="code-head">
        <span class="grow">{language === "" ? t("code.name") : language}</span>
        <Button
          kind="quiet"
          size="small"
          icon="wrap"
          label={t("code.wrap")}
          aria-pressed={wrap}
          onClick={() => setWrap(!wrap)}
        />
        {onLook && <Button kind="quiet" size="small" icon="eye" label={t("code.look")} onClick={onLook} />}
        <CopyButton label={t("code.copy")} text={() => text} />
      </div>
      <div
        class="code-body"
        role="region"
        aria-label={language === "" ? t("code.name") : t("code.region", { language })}
        tabIndex={0}
      >
        {lines > NUMBERED_FROM && !wrap && (
          <div class="code-lines" aria-hidden="true">
            {numbers(folded ? FOLDED_TO : lines)}
          </div>
        )}
        <pre>
          <code>{isSearched ? <FoundText text={shown} {...found} /> : (colored ?? <VisibleText text={shown} />)}</code>
        </pre>
      </div>
      {!open && !isSearched && lines > FOLDED_FROM && (
        <Button kind="quiet" size="small" class="code-fold" onClick={() => setUnfolded(!unfolded)}>
          {folded ? t("code.unfold", { n: lines }) : t("code.fold")}
        </Button>
      )}
    </div>
  );
}

function numbers(count: number): string {
  return Array.from({ length: count }, (_, index) => String(index + 1)).join("\n");
}

/** The colored form, once it is there; undefined shows plain text with the same shape, so nothing moves. */
function useColors(code: string, language: string, wanted: boolean): ComponentChild[] | undefined {
  const [colored, setColored] = useState<{ code: string; nodes: ComponentChild[] }>();
  useEffect(() => {
    if (!wanted || language === "") return undefined;
    let gone = false;
    const run = async (): Promise<void> => {
      const { highlight } = await import("./highlight.tsx");
      const nodes = await highlight(code, language);
      if (!gone && nodes) setColored({ code, nodes });
    };
    const cancel = whenIdle(() => void run());
    return () => {
      gone = true;
      cancel();
    };
  }, [code, language, wanted]);
  return wanted && colored?.code === code ? colored.nodes : undefined;
}

function whenIdle(run: () => void): () => void {
  if ("requestIdleCallback" in window) {
    const id = requestIdleCallback(run, { timeout: 500 });
    return () => cancelIdleCallback(id);
  }
  const id = setTimeout(run, 50); // Safari
  return () => clearTimeout(id);
}
