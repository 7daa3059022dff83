/** Checks changes of the settings as a whole, writes them, and lets the running agent take them up. */
import { hasCode, RuntimeError, type JsonObject } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import { faultText } from "../../config/faults.ts";
import { freshHome } from "../../config/fresh.ts";
import type { Fault } from "../../config/key.ts";
import { loadConfig, readConfigFile, referencesOf, type ConfigFile, type Loaded } from "../../config/load.ts";
import { otherSecrets } from "../../config/secrets/other-secrets.ts";
import { resolve } from "../../config/resolve.ts";
import { saveChanges } from "../../config/save.ts";
import { findKey } from "../../config/schema.ts";
import { forgetSecrets } from "../../config/secrets/secrets.ts";
import { saySame, valueAt, withValue } from "../../config/value-at.ts";
import { chooseModel } from "../../models/choose-model.ts";
import { newFaultyTargets } from "../targets.ts";
import { checkSettings } from "../http/start-checks.ts";
import { announce } from "../live/announce.ts";
import { changedMeanwhile } from "../api/etag.ts";
import { Problem } from "../api/problem.ts";
import type { Call } from "../api/route.ts";
import { editsOf, type Edit } from "./edits.ts";
import { settingsHash } from "./view.ts";
import { told } from "../api/words.ts";
import { TEXT } from "./api-texts.ts";

type Caller = Pick<Call<unknown, unknown>, "services" | "t"> &
  Partial<Pick<Call<unknown, unknown>, "credential" | "headers">>;

export interface Changed {
  /** Paths of the keys that changed. */
  readonly applied: readonly string[];
  /** Those of them that are read at the next start. */
  readonly restart: readonly string[];
  /** The configuration with the changes. */
  readonly loaded: Loaded;
  readonly hash: string;
}

/** @throws Problem `settings.unreadable-file`. The file as it stands, for changes that are made from it. */
function currentFile({ services, t }: Caller): ConfigFile {
  const { loadOptions } = services;
  if (loadOptions.object !== undefined)
    throw new Problem(
      "settings.locked",
      told({ detail: TEXT.configurationProcessHanded, remedy: TEXT.changeWhereProgram }),
    );
  try {
    return readConfigFile(loadOptions.places, t);
  } catch (error) {
    if (!hasCode(error, "config.unreadable")) throw error;
    throw unreadable(error.message, loadOptions.places.home);
  }
}

/** The patch as edits of the file. @throws Problem `settings.invalid`. */
export function patchEdits(patch: JsonObject, call: Caller): readonly Edit[] {
  const file = currentFile(call);
  const loaded = call.services.app.inside.loaded();
  const { edits, faults } = editsOf(patch, { ...loaded, raw: file.raw });
  if (faults.length > 0) throw invalidSettings(faults, call);
  return edits;
}

/**
 * All of the edits or none. Nothing is written in a dry run.
 * @throws Problem `settings.invalid` with every fault, `settings.locked`, `settings.unreadable-file`, `precondition.failed`.
 */
export async function changeSettings(
  edits: readonly Edit[],
  call: Caller,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Changed> {
  for (let file = currentFile(call); ;) {
    const changed = await attempt(file, edits, call, dryRun);
    if (changed !== undefined) return changed;
    const now = currentFile(call);
    const places = edits.map(({ names }) => names);
    // A value that was made of another one, a list with one more, is not put over a third.
    if (isPinned(call.headers) || !saySame(file.raw, now.raw, places))
      throw changedMeanwhile(settingsHash(call.services.app.inside.loaded()));
    file = now;
  }
}

/** @returns undefined: somebody else was faster. */
async function attempt(
  file: ConfigFile,
  edits: readonly Edit[],
  call: Caller,
  dryRun: boolean,
): Promise<Changed | undefined> {
  const { services, t } = call;
  const { loadOptions, app } = services;
  for (const { names } of edits) {
    const path = names.join(".");
    if (Object.hasOwn(loadOptions.flags ?? {}, path))
      throw new Problem(
        "settings.locked",
        told({ detail: TEXT.setOnCommand, remedy: TEXT.startMargayWithout }, { path }),
      );
  }
  refuseFaults(file, edits, call);
  const preview = previewOf(file, edits, call);
  refuseTargets(preview, call);
  const applied = edits.map(({ names }) => names.join("."));
  const restart = edits.filter(({ key }) => key.restart === true).map(({ names }) => names.join("."));
  if (dryRun || edits.length === 0)
    return { applied, restart, loaded: preview, hash: settingsHash(app.inside.loaded()) };
  const changes = edits.map(({ names, value, secrets }) => ({ path: names.join("."), value, secrets }));
  const fresh = freshHome(file, changes);
  try {
    await saveChanges(changes, { places: loadOptions.places, env: loadOptions.env, t, seen: file });
  } catch (error) {
    if (!hasCode(error, "config.changed")) throw error;
    return undefined;
  }
  for (const { key, names, value } of edits) {
    const before = valueAt(file.raw, names);
    if (key.secret !== undefined && value === undefined && before !== undefined)
      forgetSecrets(loadOptions.places, names.join("."), before);
  }
  const loaded = loadConfig(loadOptions);
  app.configure(loaded);
  const keys = [...applied, ...fresh.map(({ path }) => path)];
  app.log.info("settings.changed", { keys });
  app.audit.record("settings.changed", { keys, by: call.credential?.name ?? "unknown" });
  announce(services, "system", "settings");
  if (fresh.length > 0) announce(services, "usage", "budgets");
  return { applied, restart, loaded, hash: settingsHash(loaded) };
}

/** The caller wants it changed as they saw it, or not at all. */
function isPinned(headers: Caller["headers"]): boolean {
  const match = headers?.["if-match"]?.trim();
  return (match !== undefined && match !== "*") || headers?.["if-none-match"] !== undefined;
}

/** A chat that nobody can be reached in is refused while somebody is there to choose another. */
function refuseTargets({ config, places }: Loaded, { services, t }: Caller): void {
  const faults = newFaultyTargets(services.app.inside.loaded().config, config, t, places.home);
  if (faults.length > 0) throw refusedTargets(faults);
}

/** @param faults by the key that names the chat. */
export function refusedTargets(faults: readonly { readonly path: string; readonly text: string }[]): Problem {
  return new Problem("settings.invalid", {
    detail: faults.map(({ path, text }) => `${path}: ${text}`).join("\n"),
    errors: faults.map(({ path, text }) => ({ path: pointerOf(path), code: "target", message: text })),
  });
}

/** What the next start would refuse is refused now, while somebody is there to correct it. */
function checkGateway(loaded: Loaded, { services, t }: Caller): void {
  checkSettings({ loaded, auth: services.auth, setup: false, t });
  for (const [name, { secret }] of Object.entries(loaded.config.gateway.hooks))
    if (secret !== undefined && secret !== "" && otherSecrets(name, loaded.config).includes(secret))
      throw new RuntimeError("config.invalid", t("gateway.refuse.sameSecret", { name, other: "another secret" }));
}

/** The configuration as it would be. @throws Problem `settings.invalid`: no model could be reached with it, … */
function previewOf(file: ConfigFile, edits: readonly Edit[], call: Caller): Loaded {
  const { app, loadOptions } = call.services;
  try {
    const loaded = loadConfig({ ...loadOptions, object: withEdits(file.raw, edits, "plain") });
    app.inside.platforms.refuse(loaded.config.channelsById);
    if (edits.some(({ names }) => names[0] === "gateway")) checkGateway(loaded, call);
    chooseModel({ config: loaded.config, env: loadOptions.env, clock: app.clock, home: loadOptions.places.home });
    return { ...loaded, raw: withEdits(file.raw, edits, "value") };
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const message = hidden(error.message, loadOptions.places.home);
    throw new Problem("settings.invalid", {
      detail: message,
      errors: [{ path: placeOf(error), code: error.code, message }],
    });
  }
}

/** Such errors name their key in the text only. */
function placeOf({ code, message }: RuntimeError): string {
  if (code === "state.inside-workspace") return "/workspace";
  return `/${/\b(channels|gateway)\./.exec(message)?.[1] ?? "model"}`;
}

function refuseFaults(file: ConfigFile, edits: readonly Edit[], call: Caller): void {
  const before = faultsOf(file.raw, call);
  const after = faultsOf(withEdits(file.raw, edits, "plain"), call);
  if (after.length === 0) return;
  const known = new Set(before.map((fault) => fault.path));
  const ours = after.filter((fault) => !known.has(fault.path));
  if (ours.length > 0) throw invalidSettings(ours, call);
  const list = before.map((fault) => faultText(fault, call.t)).join("\n");
  throw unreadable(list, call.services.loadOptions.places.home);
}

function faultsOf(raw: JsonObject, { services }: Caller): readonly Fault[] {
  const { loadOptions } = services;
  return resolve(raw, loadOptions.flags ?? {}, referencesOf(loadOptions)).faults;
}

function invalidSettings(faults: readonly Fault[], { t, services }: Caller): Problem {
  const { home } = services.loadOptions.places;
  const detail = faults.map((fault) => hidden(faultText(fault, t), home)).join("\n");
  return new Problem("settings.invalid", {
    ...told({ detail: { en: detail, "zh-CN": detail }, remedy: TEXT.nothingWasWritten }),
    errors: faults.map((fault) => ({
      path: pointerOf(fault.path),
      code: fault.problem,
      message: hidden(faultText(fault, t), home),
    })),
  });
}

function unreadable(message: string, home: string): Problem {
  return new Problem(
    "settings.unreadable-file",
    told({ detail: TEXT.configJsonEdited, remedy: TEXT.runAndCorrect }, { value: hidden(message, home) }),
  );
}

/** A JSON Pointer from a dotted path; names of the user may hold dots. */
function pointerOf(path: string): string {
  const found = findKey(path.replace(/\[.*$/, ""));
  // Places in a list, and fields of what stands there.
  const inList = path.slice(path.search(/\[|$/));
  const rest = [...inList.matchAll(/\[(\d+)\]|\.([^.[]+)/g)].map(([, index, name]) => index ?? name ?? "");
  const names = found === undefined ? path.split(".") : [...found.names, ...found.inside, ...rest];
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Answers name no place outside the workspace. */
function hidden(text: string, home: string): string {
  return text.replaceAll(home, "~");
}

function withEdits(raw: JsonObject, edits: readonly Edit[], which: "value" | "plain"): JsonObject {
  return edits.reduce((object, edit) => withValue(object, edit.names, edit[which]), raw);
}

/** For what another program of ours says went wrong. */
export function textOf(error: unknown, home: string): string {
  return hidden(messageOf(error), home);
}
