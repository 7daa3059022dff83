/** A footnote and its mark in the text; each leads to the other. No address changes: `#` names a message. */
import type { ComponentChildren, VNode } from "preact";
import { t } from "./texts.ts";

export function FootnoteMark({ number }: { number: number }): VNode {
  return (
    <sup>
      <button
        type="button"
        class="footnote-mark"
        data-footnote-mark={number}
        aria-label={t("footnote.open", { n: number })}
        onClick={(event) => goTo(event.currentTarget, `[data-footnote="${String(number)}"] button`)}
      >
        {number}
      </button>
    </sup>
  );
}

export function Footnote({ number, children }: { number: number; children: ComponentChildren }): VNode {
  return (
    <aside class="footnote" data-footnote={number} aria-label={t("footnote.name", { n: number })}>
      <button
        type="button"
        class="footnote-number"
        aria-label={t("footnote.back", { n: number })}
        onClick={(event) => goTo(event.currentTarget, `[data-footnote-mark="${String(number)}"]`)}
      >
        {number}
      </button>
      <div class="footnote-text">{children}</div>
    </aside>
  );
}

/** In the same answer; the first one when it is mentioned twice. */
function goTo(from: HTMLElement, selector: string): void {
  const target = from.closest(".md")?.querySelector<HTMLElement>(selector);
  target?.scrollIntoView({ block: "nearest" });
  target?.focus();
}
