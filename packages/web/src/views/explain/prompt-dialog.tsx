/** The prefix and the messages of one request, exactly as they were sent; the browser's search works in it. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { t } from "../../i18n/explain.ts";
import { Code } from "../../markdown/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemBox } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/states.tsx";
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
      {state?.prompt && (
        <div class="stack">
          <h3>{t("prompt.messages")}</h3>
          <Code code={JSON.stringify(state.prompt.messages, null, 2)} language="json" open={false} />
          <h3>{t("prompt.system")}</h3>
          <Code code={state.prompt.system} language="" open={false} />
          <h3>{t("prompt.tools")}</h3>
          <p>{state.prompt.tools.join(", ")}</p>
        </div>
      )}
    </Dialog>
  );
}
