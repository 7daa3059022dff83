/** The process itself: state, checks, log, restart. */
import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Reply, type Route } from "../../host/api/route.ts";
import {
  AcceptedSchema,
  DoctorQuery,
  DoctorSchema,
  LogsQuery,
  LogsSchema,
  ReleasedSchema,
  RestartBody,
  SystemSchema,
} from "./schema.ts";
import type { Checks } from "../../host/finding.ts";
import { runChecks } from "./doctor.ts";
import { readLog, type LogQuery } from "./logs.ts";
import { systemView } from "./overview.ts";
import { plannedRestart } from "./planned-restart.ts";
import { words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

/** @param checks What the doctor looks at. */
export function systemRoutes(checks: Checks): readonly Route[] {
  return [SYSTEM, doctorRoute(checks), ...OTHERS];
}

const SYSTEM = route({
  id: "getSystem",
  method: "GET",
  path: "/system",
  scope: "read",
  summary: "Version, machine, sizes, exposure, and what waits for a restart.",
  response: SystemSchema,
  handle: async ({ services, language }) => ({ body: await systemView(services, language) }),
});

function doctorRoute(checks: Checks): Route {
  return route({
    id: "getDoctor",
    method: "GET",
    path: "/system/doctor",
    scope: "admin",
    summary: "The checks of `margay doctor`; with `live` the model is asked for a word too.",
    query: DoctorQuery,
    response: DoctorSchema,
    timeoutMs: 60_000,
    handle: async (call) => ({
      body: await runChecks(checks, call, call.query.live === "" || call.query.live === "true"),
    }),
  });
}

const OTHERS: readonly Route[] = [
  route({
    id: "getLogs",
    method: "GET",
    path: "/system/logs",
    scope: "admin",
    summary: "Lines of the log, oldest first; as an event stream they follow.",
    query: LogsQuery,
    response: LogsSchema,
    timeoutMs: null,
    handle: async (call) => {
      const { services, query, headers } = call;
      const path = services.loadOptions.places.log;
      if (headers["accept"]?.includes("text/event-stream") === true) return followed(path, call);
      return { body: await readLog(path, query, services.app.inside.redact) };
    },
  }),
  route({
    id: "resumeSchedules",
    method: "POST",
    path: "/system/schedules/resume",
    scope: "admin",
    summary: "What is scheduled becomes due again, after it waited because margay crashed.",
    response: ReleasedSchema,
    handle: async ({ services, credential }) => ({
      body: { released: await services.app.inside.hold.release(credential?.name ?? "unknown") },
    }),
  }),
  route({
    id: "restart",
    method: "POST",
    path: "/system/restart",
    scope: "owner",
    summary: "Starts margay anew, where something starts it again.",
    body: RestartBody,
    status: 202,
    response: AcceptedSchema,
    errors: ["system.no-supervisor"],
    handle: ({ services, body, language }) => {
      const { restart } = services;
      if (restart !== undefined) {
        services.once(plannedRestart).at(body.when, restart);
        return { body: { accepted: true } };
      }
      throw new Problem("system.no-supervisor", {
        detail: words(language, TEXT.nothingHereWould),
        remedy: words(language, TEXT.pressCtrlC),
        more: { command: "margay gateway" },
      });
    },
  }),
];

const SILENCE_MS = 15_000;

/** Ends when the reader leaves or the gateway closes. */
function followed(
  path: string,
  { services, query, signal }: Pick<Call<LogQuery, unknown>, "services" | "query" | "signal">,
): Reply {
  const { app, closing } = services;
  const over = AbortSignal.any([signal, closing]);
  const encoder = new TextEncoder();
  const left = new AbortController();
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string): void => {
        if (!left.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      let after = query.after;
      let reading: Promise<void> = Promise.resolve();
      const look = (): void => {
        reading = reading
          .then(async () => {
            const page = await readLog(path, { ...query, after }, app.inside.redact);
            after = page.next;
            for (const line of page.items) send(`event: line\nid: ${line.at}\ndata: ${JSON.stringify(line)}\n\n`);
          })
          .catch(() => {}); // the log was moved away: the next change is looked at again
      };
      const watching = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || basename(path) === name) look();
      });
      const beat = async (): Promise<void> => {
        for (;;) {
          await app.clock.sleep(SILENCE_MS, left.signal);
          send(": still here\n\n");
        }
      };
      beat().catch(() => {}); // the reader left
      left.signal.addEventListener("abort", () => {
        watching.close();
      });
      over.addEventListener("abort", () => {
        if (left.signal.aborted) return;
        left.abort();
        controller.close();
      });
      look();
    },
    cancel: () => left.abort(),
  });
  return { raw: stream, headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" } };
}
