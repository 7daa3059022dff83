/** Where importing meets what is here: settings, sessions and jobs, read without the lock, so that a dry run makes nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadCalendar, readIfExists, systemClock, type Json } from "@margay/core";
import type { App } from "./app.ts";
import { openArchive, stateOf } from "./cli/archive.ts";
import type { Cli } from "./cli/command.ts";
import { check } from "./config/kinds.ts";
import type { Loaded } from "./config/load.ts";
import { saveChanges, type Change } from "./config/save.ts";
import { findKey, kindOf, type FoundKey } from "./config/schema.ts";
import { setApart } from "./config/secrets.ts";
import { applyImport } from "./import/apply.ts";
import { readSource } from "./import/detect.ts";
import { isObject, leaves, listOf, objectOf, parseJson, valueAt } from "./import/json.ts";
import { planImport, type Plan } from "./import/plan.ts";
import type { PlannedSetting } from "./import/step.ts";
import type { JudgedSetting, Target } from "./import/target.ts";
import { findVendor } from "./providers/catalog.ts";

export type { Plan } from "./import/plan.ts";
export type { PlanItem, Status } from "./import/step.ts";

/** @returns undefined when nothing at `path` is known. */
export async function planHome(cli: Cli, path: string): Promise<Plan | undefined> {
  const loaded = cli.load();
  const { userHome } = cli.environment;
  const isProvider = (id: string): boolean => findVendor(id) !== undefined;
  const source = await readSource(path, { userHome, timeZone: loaded.timeZone, isProvider });
  return source === undefined ? undefined : planImport(source, await readTarget(cli, loaded), cli.signal);
}

export async function applyHome(cli: Cli, plan: Plan, app: App): Promise<void> {
  const saveSettings = (settings: readonly PlannedSetting[]): void => writeSettings(cli, settings);
  await applyImport(plan, { app, t: cli.t, saveSettings }, cli.signal);
}

async function readTarget(cli: Cli, loaded: Loaded): Promise<Target> {
  const { home } = cli.places;
  // Opening the archive makes its folder.
  const archive = existsSync(join(home, "sessions")) ? await openArchive(cli) : [];
  return {
    workspace: loaded.workspace,
    timeZone: loaded.timeZone,
    secrets: loaded.secrets,
    judgeSetting: (path, value) => judgeSetting(path, value, loaded),
    sessions: new Map(
      archive.map((session) => {
        const isUsed = async (): Promise<boolean> => {
          const state = await stateOf(session);
          return state.rows > 0 || state.pending.length > 0;
        };
        return [session.key, { isUsed, commits: session.commits }];
      }),
    ),
    jobs: new Set(jobIds(join(home, "cron"))),
    cron: loaded.config.cron,
    calendar: await loadCalendar(),
    now: systemClock().now(),
  };
}

/** Of the readable view; adding one twice is harmless whatever it says. */
function jobIds(folder: string): readonly string[] {
  const parsed = parseJson(readIfExists(join(folder, "jobs.json"))?.toString("utf8") ?? "");
  const jobs = isObject(parsed) ? listOf(parsed["jobs"]) : [];
  return jobs.map((job) => String(objectOf(job)["id"]));
}

function judgeSetting(path: string, value: Json, loaded: Loaded): JudgedSetting {
  const found = findKey(path);
  const secret = found?.key.secret === true;
  if (found === undefined) return { secret, verdict: "unknown" };
  const kind = kindOf(found);
  // `${` would be read as a reference; secrets stand in files of their own.
  const isReference = !secret && JSON.stringify(value).includes("${");
  if (isReference || (secret && typeof value !== "string") || check(kind, value, path).length > 0)
    return { secret, verdict: "wrong" };
  const isSet = valueAt(loaded.raw, [...found.names, ...found.inside]) !== undefined;
  return { secret, verdict: !isSet ? "free" : isSame(value, found, loaded) ? "same" : "set" };
}

/** Compared with what the file means: a secret stands there as a reference. */
function isSame(value: Json, { names, inside }: FoundKey, { config }: Loaded): boolean {
  // Settings of one channel lie beside those of all.
  const place = names[0] === "channels" && names.length > 2 ? ["channelsById", ...names.slice(1)] : names;
  const here = valueAt(config as unknown as Json, [...place, ...inside]); // made of JSON
  return leaves(here).length > 0 && JSON.stringify(here) === JSON.stringify(value);
}

function writeSettings(cli: Cli, settings: readonly PlannedSetting[]): void {
  const changes = settings.map(({ path, value, secret }): Change => {
    if (!secret || typeof value !== "string") return { path, value };
    return { path, ...setApart(cli.places, path, value) };
  });
  saveChanges(changes, { path: cli.places.config, env: cli.environment.env, t: cli.t });
}
