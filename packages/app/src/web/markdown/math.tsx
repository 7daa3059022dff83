/** A formula as MathML, by katex, loaded with the first one. Until then, and when it fails, its source. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "./texts.ts";

export function Math({ formula, display }: { formula: string; display: boolean }): VNode {
  const place = useRef<HTMLSpanElement>(null);
  const [state, setState] = useState<"source" | "drawn" | "failed">("source");
  useEffect(() => {
    let gone = false;
    const draw = async (): Promise<void> => {
      const katex = await import("katex");
      if (gone || !place.current) return;
      try {
        const options = {
          displayMode: display,
          output: "mathml",
          trust: false,
          throwOnError: true,
          maxExpand: 200,
        } as const;
        katex.default.render(formula, place.current, options);
        setState("drawn");
      } catch {
        setState("failed"); // the model's formula; its source stays readable
      }
    };
    void draw();
    return () => {
      gone = true;
    };
  }, [formula, display]);
  const Tag = display ? "div" : "span";
  return (
    <Tag class={display ? "math block" : "math"}>
      <span ref={place} />
      {state !== "drawn" && (
        <code {...(state === "failed" && { class: "failed", title: t("math.failed") })}>{formula}</code>
      )}
    </Tag>
  );
}
