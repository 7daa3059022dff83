/** Background work: each task is a child session. */
import type { z } from "zod";
import { openJournalFacts, type SessionFacts } from "../../host/live/journal-facts.ts";
import { sumOf } from "../../host/facts/spending.ts";
import type { FoundTurn } from "@margay/core/internal";
import { hiddenFrom } from "../../host/sessions/access.ts";
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
    handle: async (call) => {
      const { services, query } = call;
      const { state, session } = query;
      const isHidden = await hiddenFrom(call);
      const tasks = (await services.once(openJournalFacts).all())
        .flatMap((facts) => taskOf(facts, services, isHidden(facts.id)))
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
async function find(call: Pick<Call<unknown, unknown>, "params" | "services" | "language" | "credential">): Promise<{
  readonly key: string;
  readonly task: Task;
}> {
  const { params, services, language } = call;
  const facts = await services.once(openJournalFacts).of(params["id"] ?? "");
  const isHidden = await hiddenFrom(call);
  const [task] = facts === undefined ? [] : taskOf(facts, services, isHidden(facts.id));
  if (facts !== undefined && task !== undefined) return { key: facts.key, task };
  throw refusal("session.not-found", language, {
    detail: TEXT.noSuchTask,
    remedy: TEXT.listsThem,
  });
}

/** None, when it is no subagent's session. @param isHidden its words are another person's. */
function taskOf(
  { id, key, parent, turns, spending }: SessionFacts,
  { app }: Services,
  isHidden: boolean,
): readonly Task[] {
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
      label: isHidden ? "" : (turn.label ?? ""),
      task: isHidden ? "" : turn.task,
      state,
      ...(state === "failed" && { reason: turn.error?.code ?? turn.reason ?? "failed" }),
      step: turn.steps,
      maxSteps: app.inside.loaded().config.subagents.maxIterations,
      startedAt: turn.startedAt ?? turn.receivedAt,
      ...(turn.endedAt !== undefined && { endedAt: turn.endedAt }),
      ...(state === "running" && turn.doing !== undefined && { doing: turn.doing }),
      ...(!isHidden && turn.text !== undefined && turn.text !== "" && { text: turn.text }),
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
