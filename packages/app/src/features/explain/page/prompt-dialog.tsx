/** The prefix and the messages of one request, exactly as they were sent, with a search. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../../../web/api.ts";
import { t } from "./texts.ts";
import { number } from "../../../web/texts/texts.ts";
import { t as work } from "../../../web/texts/work.ts";
import { isPressed } from "../../../web/lib/keys.ts";
import { Code } from "../../../web/markdown/code.tsx";
import { Dialog } from "../../../web/ui/dialog.tsx";
import { FindLine, toField } from "../../../web/ui/find-line.tsx";
import { ProblemBox } from "../../../web/ui/problem.tsx";
import { Skeleton } from "../../../web/ui/states.tsx";
import { findIn, MAX_HITS, partsOf } from "./prompt-parts.ts";
import type { Explanation } from "./types.ts";

export function PromptDialog({ path, seq, onClose }: { path: string; seq: number; onClose: () => void }): VNode {
  const [state, setState] = useState<{ prompt?: Explanation["prompt"]; error?: unknown }>();
  useEffect(() => {
    api.get<Explanation>(path, { query: { prompt: seq } }).then(
      ({ body }) => setState({ prompt: body.prompt }),
      (error: unknown) => setState({ error }),
    );
  }, [path, seq]);
  return (
    <Dialog title={t("prompt.title")} wide onClose={onClose}>
      {state === undefined && <Skeleton lines={10} />}
      {state?.error !== undefined && <ProblemBox error={state.error} />}
      {state?.prompt && <Prompt prompt={state.prompt} />}
    </Dialog>
  );
}

function Prompt({ prompt }: { prompt: NonNullable<Explanation["prompt"]> }): VNode {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const parts = useMemo(() => partsOf(prompt), [prompt]);
  const found = useMemo(() => findIn(parts, words), [parts, words]);
  const count = found.reduce((sum, { length }) => sum + length, 0);
  useCtrlF(field);
  useLayoutEffect(() => {
    body.current?.querySelector("mark[aria-current]")?.scrollIntoView({ block: "center", inline: "nearest" });
  }, [found, at]);
  const most = number(count) + (count === MAX_HITS ? "+" : "");
  let before = 0;
  return (
    <div class="stack" ref={body}>
      <div class="prompt-find" role="search">
        <FindLine
          field={field}
          label={t("prompt.find")}
          value={words}
          onValue={(next) => {
            setWords(next);
            setAt(0);
          }}
          count={words === "" ? "" : count === 0 ? work("find.none") : work("find.count", { at: at + 1, n: most })}
          onGo={(by) => setAt(count === 0 ? 0 : (at + by + count) % count)}
        />
      </div>
      {parts.map(({ id, text, language }, index) => {
        const ranges = found[index] ?? [];
        const current = at - before;
        before += ranges.length;
        return (
          <section key={id} class="stack" aria-label={t(`prompt.${id}`)}>
            <h3>{t(`prompt.${id}`)}</h3>
            <Code code={text} language={language} open={false} found={{ ranges, current }} />
          </section>
        );
      })}
    </div>
  );
}

/** It searches here, not in the chat behind; pressed again it is the browser's own. */
function useCtrlF(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPressed(event, "find")) return;
      event.stopPropagation();
      if (document.activeElement === field.current) return;
      event.preventDefault();
      toField(field.current);
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [field]);
}
