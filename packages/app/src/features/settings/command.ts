/** `margay config show|get|set|unset|check|path`. */
import { RuntimeError, type Json } from "@margay/core";
import { loadConfig, readConfigFile, referencesOf, type Loaded } from "../../config/load.ts";
import { resolve, type Entry } from "../../config/resolve.ts";
import { saveChanges, type SaveOptions } from "../../config/save.ts";
import { findKey, kindOf, nearestKey, type FoundKey } from "../../config/schema.ts";
import { isSecretAt } from "../../config/secrets/secret-names.ts";
import { forgetSecrets, setApart } from "../../config/secrets/secrets.ts";
import { withoutSecrets } from "./show.ts";
import { valueAt } from "../../config/value-at.ts";
import { EXIT, textOption, type Cli, type Input } from "../../host/cli/command.ts";
import { jsonLine, plain, table, safeText } from "../../host/cli/output.ts";
import { readSecret } from "../../host/cli/read-input.ts";
import { shownKeys, shownRows } from "./show.ts";

export async function showConfig(cli: Cli, input: Input): Promise<number> {
  const profile = textOption(input, "profile");
  const loaded = cli.loadShown(profile === undefined ? {} : { profile });
  const [prefix] = input.args;
  const entries = loaded.entries.filter(
    (entry) => prefix === undefined || entry.path === prefix || entry.path.startsWith(`${prefix}.`),
  );
  if (entries.length === 0 && prefix !== undefined) throw unknownKey(cli, prefix);
  if (cli.json) cli.terminal.out(jsonLine(shownKeys(entries)));
  else cli.terminal.out(table(shownRows(entries, cli.t)));
  return EXIT.done;
}

export async function getConfig(cli: Cli, input: Input): Promise<number> {
  const { found, path } = keyOf(cli, input);
  const loaded = cli.loadShown();
  const value = resolvedValue(loaded, found);
  const secret = isSecretAt(found.key, path);
  const shown = withoutSecrets(found.key, path, value);
  if (cli.json) cli.terminal.out(jsonLine({ key: path, value: shown }));
  else
    cli.terminal.out(
      `${secret ? cli.t(value === undefined ? "secret.unset" : "secret.set") : safeText(plain(value === undefined ? undefined : shown))}\n`,
    );
  return EXIT.done;
}

export async function setConfig(cli: Cli, input: Input): Promise<number> {
  const { found, path } = keyOf(cli, input);
  const typed = input.args[1];
  const text = typed === "-" ? await readSecret(cli, path) : typed;
  if (text === undefined) throw new RuntimeError("usage.wrong", cli.t("config.needValue", { path }));
  const { places, environment, t } = cli;
  const save = { places, env: environment.env, t };
  const plainValue = valueFrom(text, found);
  const { value, secrets } =
    found.key.secret === undefined ? { value: plainValue, secrets: [] } : setApart(places, path, plainValue, found.key);
  const shown = withoutSecrets(found.key, path, value);
  const inspect = await targetInspection(cli);
  await saveChanges([{ path, value, secrets }], { ...save, inspect });
  if (cli.json) cli.terminal.out(jsonLine({ key: path, value: shown, restart: found.key.restart === true }));
  else if (secrets.length > 0) cli.terminal.out(`${t("config.setSecret", { path, file: `${places.secrets}` })}\n`);
  else
    cli.terminal.out(
      `${t("config.set", { path, value: isSecretAt(found.key, path) ? t("secret.set") : safeText(plain(shown)) })}\n`,
    );
  if (found.key.restart === true && !cli.json) cli.terminal.err(`${t("config.restart")}\n`);
  return EXIT.done;
}

/** Refuses a chat that nobody can be reached in; what is wrong otherwise is told by who reads the file. */
async function targetInspection(cli: Cli): Promise<NonNullable<SaveOptions["inspect"]>> {
  const { newFaultyTargets } = await import("../../host/targets.ts");
  const { places, environment, t } = cli;
  const references = referencesOf({ places, ...environment, t, secrets: "left" });
  return (before, after) => {
    const [was, will] = [before, after].map((raw) => resolve(raw, {}, references));
    if (was === undefined || will === undefined || will.faults.length > 0) return;
    const faults = newFaultyTargets(was.config, will.config, t, places.home).map(
      ({ path, text }) => `${path}: ${text}`,
    );
    if (faults.length > 0) throw new RuntimeError("config.invalid", faults.join("\n"));
  };
}

export async function unsetConfig(cli: Cli, input: Input): Promise<number> {
  const { found, path } = keyOf(cli, input);
  const before = valueAt(readConfigFile(cli.places, cli.t).raw, [...found.names, ...found.inside]);
  await saveChanges([{ path, value: undefined }], { places: cli.places, env: cli.environment.env, t: cli.t });
  if (found.key.secret !== undefined && before !== undefined) forgetSecrets(cli.places, path, before);
  if (cli.json) cli.terminal.out(jsonLine({ key: path, value: null }));
  else cli.terminal.out(`${cli.t("config.unset", { path })}\n`);
  return EXIT.done;
}

export async function checkConfig(cli: Cli): Promise<number> {
  const { places, environment, t } = cli;
  const loaded = loadConfig({ places, env: environment.env, userHome: environment.userHome, t });
  const wrong = (await cli.surface()).checks.configured["channelSettings"]?.(cli, loaded) ?? [];
  const problems = (await wrong).filter(({ level }) => level === "problem").map(({ text }) => text);
  if (problems.length > 0) throw new RuntimeError("config.invalid", problems.join("\n"));
  const count = loaded.entries.filter((entry) => entry.source.from === "config").length;
  if (cli.json) cli.terminal.out(jsonLine({ ok: true, path: places.config, exists: loaded.exists, set: count }));
  else cli.terminal.out(`${t(loaded.exists ? "config.ok" : "config.none", { path: places.config, count })}\n`);
  return EXIT.done;
}

export async function configPath(cli: Cli): Promise<number> {
  cli.terminal.out(cli.json ? jsonLine({ path: cli.places.config }) : `${cli.places.config}\n`);
  return EXIT.done;
}

function keyOf(cli: Cli, input: Input): { readonly found: FoundKey; readonly path: string } {
  const path = input.args[0] ?? "";
  const found = findKey(path);
  if (found === undefined) throw unknownKey(cli, path);
  return { found, path };
}

function unknownKey({ t }: Cli, path: string): RuntimeError {
  const name = nearestKey(path);
  return new RuntimeError(
    "usage.wrong",
    t("config.noKey", { path, hint: name === undefined ? "" : t("config.didYouMean", { name }) }),
  );
}

function resolvedValue(loaded: Loaded, found: FoundKey): Json | undefined {
  const entry: Entry | undefined = loaded.entries.find(
    (one) => one.key === found.key && one.names.join("\0") === found.names.join("\0"),
  );
  const value = entry === undefined ? found.key.default : entry.value;
  const [inside] = found.inside;
  if (inside === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return (value as Readonly<Record<string, Json>>)[inside]; // an object, as checked
}

/** Text stays text where the key takes text; everything else is JSON, and bare words are tried as text. */
function valueFrom(text: string, found: FoundKey): Json {
  const kind = kindOf(found);
  if (
    ["text", "path", "url", "origin", "host", "destination", "repository", "choice", "time-zone", "hours"].includes(
      kind.is,
    )
  )
    return text;
  try {
    return JSON.parse(text) as Json; // JSON.parse gives Json
  } catch {
    return text; // `config set model openai/gpt-5`: the check says whether text fits
  }
}
