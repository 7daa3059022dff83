/** What an import would change, section by section, and the same plan carried out. */
import { type Json, type JsonObject } from "@margay/core";
import { isRecord, type JobRequest, sha256 } from "@margay/core/internal";
import { Problem } from "../../host/api/problem.ts";
import type { BackupJob, ImportView } from "./schema.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { removalsBelow, type Edit } from "../../host/settings/edits.ts";
import { settingsHash } from "../../host/settings/view.ts";
import { findKey } from "../../config/schema.ts";
import { isSecretAt } from "../../config/secrets/secret-names.ts";
import { valueAt } from "../../config/value-at.ts";
import { apart, namesOf, pointer, put } from "./secrets-of.ts";
import type { BackupParts, Caller, SharedFile } from "./parts.ts";
import type { Upload } from "./read.ts";
import { unseal } from "./seal.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type Section = ImportView["sections"][number];

export interface Plan {
  readonly sections: readonly Section[];
  /** Of this file on this state: another state needs another look. */
  readonly token: string;
  /** @returns keys that are read at the next start. */
  apply(): Promise<readonly string[]>;
}

/** @throws Problem `import.invalid` for a wrong passphrase; `settings.invalid` when the settings do not fit. */
export async function planImport(
  upload: Upload,
  bytes: Uint8Array,
  passphrase: string | undefined,
  call: Caller,
  parts: BackupParts,
): Promise<Plan> {
  const { settings, memory, schedule } = upload.sections;
  const secrets = await secretsOf(upload, passphrase);
  const planned = [
    ...(settings === undefined ? [] : [await planSettings(settings, upload.format, secrets, call)]),
    ...(memory === undefined
      ? []
      : [await planMemory(memory.files, parts.sharedFiles(call.services, personsOf(settings, call)), call)]),
    ...(schedule === undefined ? [] : [await planJobs(schedule.jobs, call)]),
  ];
  const state = settingsHash(call.services.app.inside.loaded());
  const sections = planned.map(({ section }) => section);
  return {
    sections,
    token: sha256(`${sha256(Buffer.from(bytes).toString("latin1"))}\n${state}\n${JSON.stringify(sections)}`).slice(
      0,
      32,
    ),
    apply: async () => {
      const restart: string[] = [];
      for (const part of planned) restart.push(...(await part.apply()));
      return restart;
    },
  };
}

interface Part {
  readonly section: Section;
  apply(): Promise<readonly string[]>;
}

/** Who is there, or will be when this is applied. */
function personsOf(settings: Upload["sections"]["settings"], { services }: Caller): readonly string[] {
  const here = services.app.inside.loaded().config.people;
  const there = settings?.config["people"];
  return [...new Set([...Object.keys(here), ...(isRecord(there) ? Object.keys(there) : [])])];
}

async function secretsOf(
  { sealed }: Upload,
  passphrase: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (sealed === undefined || passphrase === undefined) return {};
  const secrets = await unseal(sealed, passphrase);
  if (secrets !== undefined) return secrets;
  throw new Problem("import.invalid", told({ detail: TEXT.passphraseDoesOpen, remedy: TEXT.tryAgainOr }));
}

async function planSettings(
  { config, secrets }: NonNullable<Upload["sections"]["settings"]>,
  format: Upload["format"],
  values: Readonly<Record<string, string>>,
  call: Caller,
): Promise<Part> {
  const { app, loadOptions } = call.services;
  const loaded = app.inside.loaded();
  const { kept, missing } = withoutMissing(config as JsonObject, loadOptions.env); // JSON
  let patch = kept;
  for (const [place, value] of Object.entries(values)) patch = put(patch, namesOf(place), { $secret: value });
  const wanted = patchEdits(patch, call);
  // A backup is the whole of the settings; another program's file says nothing of what it does not know.
  const gone =
    format === "margay"
      ? removalsBelow([], loaded).filter(
          ({ key, names }) => key.secret === undefined && valueAt(config as JsonObject, names) === undefined,
        )
      : [];
  const flags = loadOptions.flags ?? {};
  const isFree = ({ names }: Edit): boolean => !Object.hasOwn(flags, names.join("."));
  const edits = [...wanted, ...gone];
  const { values: have } = apart(loaded);
  await changeSettings(edits.filter(isFree), call, { dryRun: true }); // throws what does not fit
  const path = ({ names }: Edit): string => names.join(".");
  const before = (edit: Edit): Json | undefined => valueAt(loaded.raw, edit.names);
  return {
    section: {
      name: "settings",
      adds: wanted.filter((edit) => isFree(edit) && before(edit) === undefined).map(path),
      changes: wanted.filter((edit) => isFree(edit) && before(edit) !== undefined).map(path),
      removes: gone.filter(isFree).map(path),
      conflicts: edits.filter((edit) => !isFree(edit)).map(path),
      secretsNeeded: [...secrets, ...missing].filter(
        (place) => values[place] === undefined && have[place] === undefined,
      ),
    },
    apply: async () => (await changeSettings(edits.filter(isFree), call, { dryRun: false })).restart,
  };
}

/** Secrets that are variables of the other machine: left out, and named. */
function withoutMissing(
  config: JsonObject,
  env: Readonly<Record<string, string | undefined>>,
): { readonly kept: JsonObject; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const drop = (value: Json, names: readonly string[]): Json | undefined => {
    if (typeof value === "string") {
      const variable = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1];
      const path = names.join(".");
      const key = findKey(path)?.key;
      if (variable === undefined || env[variable] !== undefined || key === undefined || !isSecretAt(key, path))
        return value;
      missing.push(pointer(names));
      return undefined;
    }
    if (!isRecord(value)) return value;
    const left = Object.entries(value).flatMap(([name, item]) => {
      const kept = drop(item, [...names, name]);
      return kept === undefined ? [] : [[name, kept] as const];
    });
    return left.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(left);
  };
  const kept = drop(config, []);
  return { kept: isRecord(kept) ? kept : {}, missing };
}

async function planMemory(
  files: Readonly<Record<string, string>>,
  known: readonly SharedFile[],
  caller: Caller,
): Promise<Part> {
  const planned: { readonly file: SharedFile; readonly before: string; readonly text: string }[] = [];
  const conflicts: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const file = known.find((one) => one.name === name);
    if (file === undefined) conflicts.push(name);
    else planned.push({ file, text, before: await file.read(caller.signal) });
  }
  const different = planned.filter(({ before, text }) => before !== text);
  return {
    section: {
      name: "memory",
      adds: different.filter(({ before }) => before === "").map(({ file }) => file.name),
      changes: different.filter(({ before }) => before !== "").map(({ file }) => file.name),
      removes: [],
      conflicts,
      secretsNeeded: [],
    },
    apply: async () => {
      for (const { file, before, text } of different) await file.write(text, before, caller);
      return [];
    },
  };
}

async function planJobs(jobs: readonly BackupJob[], { services }: Caller): Promise<Part> {
  const { cron } = services.app.schedule;
  const known = new Set(((await cron?.list()) ?? []).map(({ id }) => id));
  const fresh = jobs.filter(({ id }) => !known.has(id));
  return {
    section: {
      name: "schedule",
      adds: cron === undefined ? [] : fresh.map(labelOf),
      changes: [],
      removes: [],
      conflicts: cron === undefined ? jobs.map(labelOf) : [],
      secretsNeeded: [],
    },
    apply: async () => {
      for (const job of fresh) await cron?.add(requestOf(job));
      return [];
    },
  };
}

function labelOf({ name, id }: BackupJob): string {
  return name ?? id;
}

function requestOf({
  name,
  at,
  every_seconds,
  cron_expr,
  tz,
  by,
  to: { thread, ...to },
  ...job
}: BackupJob): JobRequest {
  return {
    ...job,
    to: { ...to, ...(thread !== undefined && { thread }) },
    ...(name !== undefined && { name }),
    ...(at !== undefined && { at }),
    ...(every_seconds !== undefined && { every_seconds }),
    ...(cron_expr !== undefined && { cron_expr }),
    ...(tz !== undefined && { tz }),
    ...(by !== undefined && { by }),
  };
}
