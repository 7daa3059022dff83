/** How old the last backup is, and one that is made now. */
import { isRecord, messageOf } from "@margay/core/internal";
import { route, type Route } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
import { runMargay } from "./own-process.ts";
import { BackupSchema, type BackupView } from "./schema.ts";
import { readState } from "./state.ts";

export const BACKUP_ROUTES: readonly Route[] = [
  route({
    id: "getBackup",
    method: "GET",
    path: "/backup",
    scope: "admin",
    summary: "The last backup, whether it was whole and could be restored, and how far one is that is being made.",
    response: BackupSchema,
    handle: ({ services }) => ({ body: viewOf(services) }),
  }),
  route({
    id: "makeBackup",
    method: "POST",
    path: "/backup/runs",
    scope: "owner",
    summary: "Makes a backup now, in a process of its own. One that is being made goes on.",
    status: 202,
    response: BackupSchema,
    handle: ({ services }) => {
      services.once(backupRuns).begin(services);
      return { status: 202, body: viewOf(services) };
    },
  }),
];

type Run = NonNullable<BackupView["run"]>;

/** The one that was asked for last. */
function backupRuns() {
  let run: Run | undefined;
  const perform = async ({ environment, loadOptions, closing, app }: Services): Promise<void> => {
    const { home } = loadOptions.places;
    let failure: string | undefined;
    const hear = (text: string): void => {
      const { type, files, bytes, message } = lineIn(text);
      if (type === "error" && typeof message === "string") failure = message;
      if (typeof files === "number" && typeof bytes === "number") run = { state: "running", files, bytes };
    };
    try {
      await runMargay({ home, env: environment.env }, ["backup", "--json"], closing, hear);
      run = { ...(run ?? NONE), state: "done" };
    } catch (error) {
      run = { ...(run ?? NONE), state: "failed", error: app.inside.redact(failure ?? messageOf(error)) };
    }
  };
  return {
    now: (): Run | undefined => run,
    begin: (services: Services): void => {
      if (run?.state === "running") return;
      run = { ...NONE };
      void perform(services); // what became of it is in `run`
    },
  };
}

const NONE: Run = { state: "running", files: 0, bytes: 0 };

function lineIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {}; // a warning in words
  }
}

function viewOf(services: Services): BackupView {
  const { schedule, target, drillDays, passphrase } = services.app.inside.loaded().config.backup;
  const { last, tried, checked, drill, drilled } = readState(services.loadOptions.places.docs);
  const run = services.once(backupRuns).now();
  return {
    target,
    schedule,
    drillDays,
    ready: target !== null && passphrase !== undefined,
    ...(last && { last: { at: last.at, target: last.target, bytes: last.bytes } }),
    ...(tried && { tried }),
    ...(checked && { checked }),
    ...(drill && { drill }),
    ...(drilled !== undefined && { drilled }),
    ...(run && { run }),
  };
}
