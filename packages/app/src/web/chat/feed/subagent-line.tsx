/** Under a `spawn` call: how its subagent is doing, with its conversation and a stop. */
import type { CallView } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { may } from "../../auth.ts";
import { t as chat } from "../../texts/chat.ts";
import { money, tokens } from "../../texts/format.ts";
import { t } from "../../texts/work.ts";
import { openPanel } from "../../lib/route.ts";
import { summaries } from "../../store/sessions.ts";
import { Button } from "../../ui/button.tsx";
import { tell } from "../../ui/tell.ts";
import type { SessionSummary } from "../../wire.ts";

export function SubagentLine({ call }: { call: CallView }): VNode | null {
  const child = [...summaries.value.values()].find(({ parent }) => parent?.call === call.call);
  if (!child) return null;
  const running = child.state === "running" || child.state === "waiting";
  return (
    <div class="subagent">
      {running && <span class="ring" aria-hidden="true" />}
      <span class="grow truncate">{child.preview === "" ? child.title : child.preview}</span>
      {running && <span class="muted">{chat(`list.state.${child.state === "waiting" ? "waiting" : "running"}`)}</span>}
      {running && may("getTask") && <Step child={child} />}
      <span class="muted">{usedOf(child)}</span>
      <Button size="small" onClick={() => openPanel(`session/${child.id}`)}>
        {t("call.subagent")}
      </Button>
      {running && (
        <Button
          size="small"
          icon="stop"
          needs="stopTask"
          onClick={() => void tell(api.post(`/tasks/${child.id}/stop`))}
        >
          {t("composer.stop")}
        </Button>
      )}
    </div>
  );
}

interface Task {
  readonly step: number;
  readonly maxSteps: number;
}

/** Read again as its conversation goes on: how far it is of what it may do. */
function Step({ child: { id, lastSeq } }: { readonly child: SessionSummary }): VNode | null {
  const [task, setTask] = useState<Task>();
  useEffect(() => {
    const abort = new AbortController();
    api.get<Task>(`/tasks/${id}`, { signal: abort.signal }).then(
      ({ body }) => setTask(body),
      () => undefined, // it was removed, or the line broke: the next change reads it again
    );
    return () => abort.abort();
  }, [id, lastSeq]);
  return task === undefined ? null : (
    <span class="muted step">{t("call.subagent.step", { n: task.step, max: task.maxSteps })}</span>
  );
}

/** With its unit, and what it cost where that is known. */
function usedOf({ usage, costUsd }: SessionSummary): string {
  const used = t("call.subagent.tokens", { n: tokens(usage.input + usage.output) });
  return costUsd === null ? used : `${used} · ${money(costUsd)}`;
}
