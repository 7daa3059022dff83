/** Background work: each task is a child session. */
import type { z } from "zod";
import { openJournalFacts, type SessionFacts } from "../../host/live/journal-facts.ts";
import { sumOf } from "../../host/facts/spending.ts";
import type { FoundTurn } from "@margay/core/internal";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { refusal } from "../../host/api/refusal.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { TaskPage, TaskQuery, TaskSchema } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import { TEXT } from "./api-texts.ts";

type Task = z.input<typeof TaskSchema>;

export const TASK_ROUTES: readonly Route[] = [
  route({
    id: "listTasks",
    method: "GET",
    path: "/tasks",
    scope: "read",
    summary: "Tasks of subagents, running and ended, the newest first.",
    query: TaskQuery,
    response: TaskPage,
    handle: async ({ services, query }) => {
      const { state, session } = query;
      const tasks = (await services.once(openJournalFacts).all())
        .flatMap((facts) => taskOf(facts, services))
        .filter(
          (task) => (state === undefined || task.state === state) && (session === undefined || task.parent === session),
        );
      return { body: pageOf(tasks, query, ({ startedAt, id }) => timeKey(startedAt, id)) };
    },
  }),
  route({
    id: "getTask",
    method: "GET",
    path: "/tasks/{id}",
    scope: "read",
    summary: "One task.",
    response: TaskSchema,
    errors: ["session.not-found"],
    handle: async (call) => ({ body: (await find(call)).task }),
  }),
  route({
    id: "stopTask",
    method: "POST",
    path: "/tasks/{id}/stop",
    scope: "admin",
    summary: "Stops a task; its parent is told. One that has ended stays as it is.",
    response: TaskSchema,
    errors: ["session.not-found"],
    handle: async (call) => {
      await call.services.app.agent.cancelSubagent((await find(call)).key);
      return { body: (await find(call)).task };
    },
  }),
];

/** @throws Problem `session.not-found`. */
async function find({
  params,
  services,
  language,
}: Pick<Call<unknown, unknown>, "params" | "services" | "language">): Promise<{
  readonly key: string;
  readonly task: Task;
}> {
  const facts = await services.once(openJournalFacts).of(params["id"] ?? "");
  const [task] = facts === undefined ? [] : taskOf(facts, services);
  if (facts !== undefined && task !== undefined) return { key: facts.key, task };
  throw refusal("session.not-found", language, {
    detail: TEXT.noSuchTask,
    remedy: TEXT.listsThem,
  });
}

/** None, when it is no subagent's session. */
function taskOf({ id, key, parent, turns, spending }: SessionFacts, { app }: Services): readonly Task[] {
  const [turn] = turns;
  if (parent === undefined || turn === undefined || !key.startsWith("subagent:")) return [];
  const { input, output, cacheRead, cacheWrite, costUsd } = sumOf(spending);
  const state = stateOf(turn);
  return [
    {
      id,
      session: id,
      parent: parent.session,
      call: parent.call,
      label: turn.label ?? "",
      task: turn.task,
      state,
      ...(state === "failed" && { reason: turn.error?.code ?? turn.reason ?? "failed" }),
      step: turn.steps,
      maxSteps: app.inside.loaded().config.subagents.maxIterations,
      startedAt: turn.startedAt ?? turn.receivedAt,
      ...(turn.endedAt !== undefined && { endedAt: turn.endedAt }),
      ...(state === "running" && turn.doing !== undefined && { doing: turn.doing }),
      ...(turn.text !== undefined && turn.text !== "" && { text: turn.text }),
      usage: { input, output, cacheRead, cacheWrite },
      costUsd,
    },
  ];
}

/** Reaching the limit is no success. */
function stateOf({ reason, startedAt }: FoundTurn): Task["state"] {
  if (reason === undefined) return startedAt === undefined ? "queued" : "running";
  switch (reason) {
    case "done":
      return "done";
    case "cancelled":
    case "withdrawn":
      return "cancelled";
    case "limit":
    case "failed":
    case "budget":
      return "failed";
  }
}
