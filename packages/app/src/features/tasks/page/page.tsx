/** Work of subagents: running first, each with its transcript and a stop. */
import type { z } from "zod";
import type { TaskPage, TaskSchema } from "../schema.ts";
import { t } from "../../../web/texts/panels-work.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime, duration, money } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { useNow } from "../../../web/panel-kit/time.ts";

type Task = z.infer<typeof TaskSchema>;

const TONES = { queued: "", running: "accent", done: "ok", failed: "danger", cancelled: "warn" } as const;

export function TasksPage() {
  const tasks = useResource<z.infer<typeof TaskPage>>("/tasks?limit=100", "tasks");
  const acting = useAct();
  const stop = (ids: readonly string[]) => async (): Promise<void> => {
    for (const id of ids) await api.post(`/tasks/${encodeURIComponent(id)}/stop`);
    await tasks.reload();
  };
  return (
    <Loaded of={tasks}>
      {({ items }) => {
        if (items.length === 0) return <Empty>{t("noTasks")}</Empty>;
        const running = items.filter(isOpen);
        return (
          <div class="stack">
            <Outcome of={acting} />
            {running.length > 1 && (
              <div>
                <Act acting={acting} work={stop(running.map(({ id }) => id))} kind="danger" icon="stop">
                  {t("stopAll")}
                </Act>
              </div>
            )}
            <ul class="p-cards">
              {[...running, ...items.filter((task) => !isOpen(task))].map((task) => (
                <Card key={task.id} task={task} stop={stop([task.id])} />
              ))}
            </ul>
          </div>
        );
      }}
    </Loaded>
  );
}

function isOpen({ state }: Task): boolean {
  return state === "running" || state === "queued";
}

function Card({ task, stop }: { readonly task: Task; readonly stop: () => Promise<void> }) {
  const acting = useAct();
  const now = useNow(isOpen(task) ? 1000 : 60_000);
  return (
    <li class="p-card" data-task={task.id}>
      <div class="p-row">
        <strong class="grow">{task.label}</strong>
        <span class={`badge ${TONES[task.state]}`}>{t(`state_${task.state}`)}</span>
      </div>
      <p class="p-clip">{task.task}</p>
      <p class="p-facts-line">
        <span>{dateTime(task.startedAt)}</span>
        <span>{duration((task.endedAt ?? now) - task.startedAt)}</span>
        <span>{t("step", { n: task.step, max: task.maxSteps })}</span>
        {task.doing !== undefined && <span>{t("doing", { what: task.doing })}</span>}
        <span>{money(task.costUsd)}</span>
      </p>
      {task.text !== undefined && <blockquote class="p-quote p-clip">{task.text}</blockquote>}
      {task.reason !== undefined && (
        <p class="p-error">
          <code>{task.reason}</code>
        </p>
      )}
      <Outcome of={acting} />
      <div class="p-row">
        <ChatLink session={task.session}>{t("openTask")}</ChatLink>
        <ChatLink session={task.parent}>{t("parent")}</ChatLink>
        <span class="grow" />
        {isOpen(task) && (
          <Act acting={acting} work={stop} icon="stop" size="small">
            {t("stop")}
          </Act>
        )}
      </div>
    </li>
  );
}
