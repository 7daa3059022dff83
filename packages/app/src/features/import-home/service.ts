/** Where importing meets what is here: settings, sessions and jobs. A plan is read without the lock, so that a dry run makes nothing. */
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError, type Json } from "@margay/core";
import {
  openOwnDocs,
  isRecord,
  loadCalendar,
  lockDirectory,
  messageOf,
  readIfExists,
  type SessionId,
  systemClock,
} from "@margay/core/internal";
import { openArchive, stateOf } from "../../host/cli/archive.ts";
import type { Cli } from "../../host/cli/command.ts";
import { expand, type Missing } from "../../config/expand.ts";
import { check } from "../../config/kinds.ts";
import { CONFIG_DOC, type Loaded } from "../../config/load.ts";
import { saveChanges, type Change } from "../../config/save.ts";
import { findKey, kindOf, type FoundKey } from "../../config/schema.ts";
import { isSecretAt } from "../../config/secrets/secret-names.ts";
import { setApart } from "../../config/secrets/secrets.ts";
import { openMarks } from "../../host/sessions/marks.ts";
import { applyImport } from "./apply.ts";
import { readSource } from "./detect.ts";
import { leaves, listOf, objectOf, parseJson, valueAt } from "./json.ts";
import { takeBack } from "./placing.ts";
import { planImport, type Plan } from "./plan.ts";
import { isChannel, type Source } from "./source.ts";
import type { PlannedSetting } from "./step.ts";
import type { JudgedSetting, Target } from "./target.ts";
import { findVendor, VENDORS } from "../../models/catalog.ts";

export type { Plan } from "./plan.ts";
export type { PlanItem, Status } from "./step.ts";

/** What importing needs of whoever asks for it: a command, or a gateway between two lives. */
export type Importer = Pick<Cli, "places" | "environment" | "t" | "signal" | "load">;

/** @returns undefined when nothing at `path` is known. */
export async function readHome(cli: Importer, path: string): Promise<Source | undefined> {
  const loaded = cli.load();
  const { userHome } = cli.environment;
  return readSource(path, { userHome, timeZone: loaded.timeZone, isChannel, ...VENDOR_WORDS });
}

export async function planHome(cli: Importer, source: Source): Promise<Plan> {
  return planImport(source, await readTarget(cli, cli.load()), cli.signal);
}

/** Plans and carries the plan out under the lock, so that what was planned for is what is there. */
export async function importHome(cli: Importer, source: Source, show: (plan: Plan) => void): Promise<Plan> {
  const { home } = cli.places;
  const isNew = !existsSync(home);
  try {
    using _lock = lockDirectory(home);
    takeBack(home);
    const loaded = cli.load();
    const plan = await planImport(source, await readTarget(cli, loaded), cli.signal);
    show(plan);
    if (plan.items.some(({ status }) => status === "add" || status === "merge"))
      await applyImport(plan, applyOptions(cli, loaded), cli.signal);
    return plan;
  } catch (error) {
    if (isNew && existsSync(home) && readdirSync(home).length === 0) rmdirSync(home);
    throw cli.signal.aborted || isOurs(error) ? error : failed(cli, error);
  }
}

/** Said with what to do already, about something else than the import. */
function isOurs(error: unknown): boolean {
  return error instanceof RuntimeError && error.code !== "journal.failed";
}

function failed(cli: Importer, error: unknown): RuntimeError {
  return new RuntimeError("import.failed", cli.t("import.failed", { why: messageOf(error).replace(/\.$/, "") }), {
    cause: error,
  });
}

function applyOptions(cli: Importer, { workspace, timeZone, config }: Loaded): Parameters<typeof applyImport>[1] {
  return {
    here: { home: cli.places.home, workspace },
    timeZone,
    toolResultChars: config.sessions.toolResultChars,
    misfire: config.cron.misfire,
    clock: systemClock(),
    saveSettings: (home, settings) => writeSettings(cli, home, settings),
    saveTitles: (home, titles) => writeTitles(home, titles),
  };
}

const VENDOR_WORDS = {
  isProvider: (id: string): boolean => findVendor(id) !== undefined,
  providerOf: (variable: string): string | undefined => VENDORS.find(({ keys }) => keys.includes(variable))?.id,
  isUsualAddress: (id: string, url: string): boolean => {
    const usual = findVendor(id)?.baseUrl;
    return usual !== undefined && URL.canParse(url) && new URL(url).host === new URL(usual).host;
  },
};

/** Where a reply can go: the terminal and the pages, and the platforms there are. */
function isTarget(id: string): boolean {
  return id === "cli" || id === "web" || isChannel(id);
}

async function readTarget(cli: Importer, loaded: Loaded): Promise<Target> {
  const { home } = cli.places;
  const { env } = cli.environment;
  // Opening the archive makes its folder.
  const archive = existsSync(join(home, "sessions")) ? await openArchive(cli) : [];
  return {
    workspace: loaded.workspace,
    timeZone: loaded.timeZone,
    secrets: loaded.secrets,
    judgeSetting: (path, value) => judgeSetting(path, value, loaded, env),
    sessions: new Map(
      archive.map((session) => {
        const isUsed = async (): Promise<boolean> => {
          const state = await stateOf(session);
          return state.rows > 0 || state.pending.length > 0;
        };
        return [session.key, { id: session.id, isUsed, commits: session.commits }];
      }),
    ),
    jobs: new Set(jobIds(join(home, "cron"))),
    isTarget,
    cron: loaded.config.cron,
    calendar: await loadCalendar(),
    now: systemClock().now(),
  };
}

/** Of the readable view; adding one twice is harmless whatever it says. */
function jobIds(folder: string): readonly string[] {
  const parsed = parseJson(readIfExists(join(folder, "jobs.json"))?.toString("utf8") ?? "");
  const jobs = isRecord(parsed) ? listOf(parsed["jobs"]) : [];
  return jobs.map((job) => String(objectOf(job)["id"]));
}

function judgeSetting(path: string, given: Json, loaded: Loaded, env: Importer["environment"]["env"]): JudgedSetting {
  const found = findKey(path);
  const secret = found !== undefined && isSecretAt(found.key, path);
  if (found === undefined) return { secret, verdict: "unknown" };
  const missing: Missing[] = [];
  const value = expand(given, path, { env, readFile: () => undefined }, missing);
  const [{ name } = {}] = missing;
  if (name !== undefined) return { secret, verdict: "unset", name };
  if ((secret && typeof value !== "string") || check(kindOf(found), value, path).length > 0)
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

async function writeSettings(cli: Importer, home: string, settings: readonly PlannedSetting[]): Promise<void> {
  const places = { ...cli.places, secrets: join(home, "secrets") };
  const changes = settings.map(({ path, value, secret }): Change => {
    if (!secret || typeof value !== "string") return { path, value };
    return { path, ...setApart(places, path, value) };
  });
  const file = { config: join(home, CONFIG_DOC), docs: openOwnDocs(home) };
  await saveChanges(changes, { places: file, env: cli.environment.env, t: cli.t });
}

async function writeTitles(home: string, titles: ReadonlyMap<SessionId, string>): Promise<void> {
  const marks = openMarks(openOwnDocs(home));
  for (const [id, title] of titles) await marks.change(id, (mark) => ({ ...mark, title }));
}
