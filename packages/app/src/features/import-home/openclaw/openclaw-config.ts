// OpenClaw's settings in our keys. Its access rules mean other things than ours: they are named, and nothing is made looser.
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { leaves, listOf, objectOf, parseJson, textOf, valueAt } from "../json.ts";
import { references } from "../nanobot/nanobot-config.ts";
import type { Reason, ReadOptions, Source } from "../source.ts";

const APIS: Readonly<Record<string, string>> = {
  "openai-completions": "openai-chat",
  "openai-responses": "openai-responses",
  "anthropic-messages": "anthropic",
  "google-generative-ai": "google",
};

/** @returns what is wrong with it, when something is. Most of its files are plain JSON: the reader of JSON5 is loaded for others. */
export async function parseJson5(text: string): Promise<JsonObject | string> {
  const plain = parseJson(text);
  if (isRecord(plain)) return plain;
  const { default: json5 } = await import("json5");
  try {
    const value: unknown = json5.parse(text.replace(/^\uFEFF/, ""));
    return isRecord(value as Json) ? (value as JsonObject) : "JSON5"; // JSON5 makes what JSON makes, and NaN and Infinity
  } catch (error) {
    return error instanceof Error ? error.message : "JSON5";
  }
}

/** A configuration that is read, and what of it was used or named. */
interface Reading {
  readonly found: Source;
  readonly file: string;
  readonly config: JsonObject;
  readonly options: ReadOptions;
  readonly used: Set<string>;
}

export function openclawSettings(found: Source, file: string, config: JsonObject, options: ReadOptions): void {
  const reading: Reading = { found, file, config, options, used: new Set() };
  use(reading, ["meta"]);
  use(reading, ["wizard"]); // when it was set up
  for (const path of [
    ["agents", "defaults", "workspace"],
    ["agent", "workspace"],
  ])
    use(reading, path); // a place
  for (const path of leaves(config).filter((each) => each.at(-1) === "$include"))
    leave(reading, path, { key: "import.why.include" });
  takeModels(reading);
  take(reading, ["agents", "defaults", "userTimezone"], "timeZone");
  takeProviders(reading);
  takeServers(reading);
  leaveChannels(reading);
  for (const leaf of leaves(config))
    if (!reading.used.has(leaf.join(".")))
      found.skipped.push({ area: "config", from: placeIn(reading, leaf), reason: { key: "import.why.noKey" } });
}

function placeIn({ file }: Reading, path: readonly string[]): string {
  return `${file} ${path.join(".")}`;
}

function use({ config, used }: Reading, path: readonly string[]): void {
  for (const leaf of leaves(valueAt(config, path), path)) used.add(leaf.join("."));
}

function set(reading: Reading, path: readonly string[], to: string, value: Json): void {
  use(reading, path);
  reading.found.settings.push({ from: placeIn(reading, path), path: to, value: references(value) });
}

function take(reading: Reading, path: readonly string[], to: string): void {
  const value = valueAt(reading.config, path);
  if (value !== undefined && leaves(value).length > 0) set(reading, path, to, value);
}

function leave(reading: Reading, path: readonly string[], reason: Reason): void {
  use(reading, path);
  reading.found.skipped.push({ area: "config", from: placeIn(reading, path), reason });
}

function takeModels(reading: Reading): void {
  for (const place of [
    ["agents", "defaults", "model"],
    ["agent", "model"],
  ]) {
    if (typeof valueAt(reading.config, place) === "string") takeModel(reading, place, "model");
    takeModel(reading, [...place, "primary"], "model");
    takeModel(reading, [...place, "fallbacks"], "fallbackModels");
  }
}

function takeModel(reading: Reading, path: readonly string[], to: "model" | "fallbackModels"): void {
  const own = ownProviders(reading);
  const value = valueAt(reading.config, path);
  const names = (typeof value === "string" ? [value] : listOf(value)).flatMap((name) => textOf(name) ?? []);
  const known = (name: string): boolean => {
    const [provider = ""] = name.split("/");
    return name.includes("/") && (reading.options.isProvider(provider) || Object.hasOwn(own, provider));
  };
  for (const name of names.filter((each) => !known(each)))
    leave(reading, path, { key: "import.why.model", values: { model: name } });
  const good = names.filter(known);
  if (good.length > 0) set(reading, path, to, to === "model" ? (good[0] ?? null) : good);
}

function ownProviders({ config }: Reading): JsonObject {
  return objectOf(valueAt(config, ["models", "providers"]));
}

function takeProviders(reading: Reading): void {
  const { config, options } = reading;
  for (const [id, value] of Object.entries(ownProviders(reading))) {
    const at = ["models", "providers", id];
    const secret = secretOf(valueAt(config, [...at, "apiKey"]));
    if (secret !== undefined) set(reading, [...at, "apiKey"], `providers.${id}.apiKey`, secret);
    take(reading, [...at, "baseUrl"], `providers.${id}.baseUrl`);
    const api = APIS[textOf(objectOf(value)["api"]) ?? "openai-completions"];
    if (!options.isProvider(id) && api !== undefined) set(reading, [...at, "api"], `providers.${id}.api`, api);
    for (const name of Object.keys(objectOf(objectOf(value)["headers"])))
      take(reading, [...at, "headers", name], `providers.${id}.headers.${name}`);
  }
  for (const block of [["env"], ["env", "vars"]])
    for (const [name, value] of Object.entries(objectOf(valueAt(config, block)))) {
      const id = typeof value === "string" ? options.providerOf(name) : undefined;
      if (id !== undefined) take(reading, [...block, name], `providers.${id}.apiKey`);
    }
}

function takeServers(reading: Reading): void {
  const { config } = reading;
  for (const name of Object.keys(objectOf(valueAt(config, ["mcp", "servers"])))) {
    const at = ["mcp", "servers", name];
    for (const field of ["command", "args", "url"]) take(reading, [...at, field], `mcpServers.${name}.${field}`);
    for (const field of ["env", "headers"])
      for (const each of Object.keys(objectOf(valueAt(config, [...at, field]))))
        take(reading, [...at, field, each], `mcpServers.${name}.${field}.${each}`);
  }
}

function leaveChannels(reading: Reading): void {
  for (const [name, value] of Object.entries(objectOf(reading.config["channels"]))) {
    if (!isRecord(value)) continue;
    const key = reading.options.isChannel(name) ? "import.why.channel" : "import.why.noChannel";
    const reason: Reason = value["enabled"] === false ? { key: "import.why.notInUse" } : { key, values: { name } };
    leave(reading, ["channels", name], reason);
  }
}

/** A text, or a reference to the environment in the form of an object. */
function secretOf(value: Json | undefined): string | undefined {
  const { source, id } = objectOf(value);
  if (source === "env" && typeof id === "string") return `\${${id}}`;
  return textOf(value);
}

/** Keys that were typed once and are kept apart from the settings. Accounts that are signed in with are not taken. */
export function loginKeys(found: Source, from: string, text: string, { isProvider }: ReadOptions): void {
  const profiles = objectOf(objectOf(parseJson(text))["profiles"]);
  for (const [name, profile] of Object.entries(profiles)) {
    const { provider, type } = objectOf(profile);
    const id = textOf(provider) ?? name.split(":")[0] ?? "";
    const key = textOf(objectOf(profile)["key"]) ?? secretOf(objectOf(profile)["keyRef"]);
    const path = `providers.${id}.apiKey`;
    const place = `${from} ${name}`;
    if (type !== "api_key" || key === undefined || !isProvider(id))
      found.skipped.push({
        area: "config",
        from: place,
        reason: { key: "import.why.login", values: { kind: found.kind } },
      });
    else if (found.settings.some((setting) => setting.path === path))
      found.skipped.push({ area: "config", from: place, reason: { key: "import.why.noKey" } });
    else found.settings.push({ from: place, path, value: references(key) });
  }
}
