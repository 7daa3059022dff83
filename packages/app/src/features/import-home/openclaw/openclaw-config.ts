// OpenClaw's settings in our keys. Its access rules mean other things than ours: they are named, and nothing is made looser.
import type { Json, JsonObject } from "@margay/core";
import { isObject, leaves, listOf, objectOf, parseJson, textOf, valueAt } from "../json.ts";
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
  if (isObject(plain)) return plain;
  const { default: json5 } = await import("json5");
  try {
    const value: unknown = json5.parse(text.replace(/^\uFEFF/, ""));
    return isObject(value as Json) ? (value as JsonObject) : "JSON5"; // JSON5 makes what JSON makes, and NaN and Infinity
  } catch (error) {
    return error instanceof Error ? error.message : "JSON5";
  }
}

export function openclawSettings(found: Source, file: string, config: JsonObject, options: ReadOptions): void {
  const { isProvider, isChannel } = options;
  const used = new Set<string>();
  const from = (path: readonly string[]): string => `${file} ${path.join(".")}`;
  const use = (path: readonly string[]): void => {
    for (const leaf of leaves(valueAt(config, path), path)) used.add(leaf.join("."));
  };
  const set = (path: readonly string[], to: string, value: Json): void => {
    use(path);
    found.settings.push({ from: from(path), path: to, value: references(value) });
  };
  const take = (path: readonly string[], to: string): void => {
    const value = valueAt(config, path);
    if (value !== undefined && leaves(value).length > 0) set(path, to, value);
  };
  const leave = (path: readonly string[], reason: Reason): void => {
    use(path);
    found.skipped.push({ area: "config", from: from(path), reason });
  };
  use(["meta"]);
  use(["wizard"]); // when it was set up
  for (const path of [
    ["agents", "defaults", "workspace"],
    ["agent", "workspace"],
  ])
    use(path); // a place
  for (const path of leaves(config).filter((each) => each.at(-1) === "$include"))
    leave(path, { key: "import.why.include" });

  const own = objectOf(valueAt(config, ["models", "providers"]));
  const model = (path: readonly string[], to: "model" | "fallbackModels"): void => {
    const value = valueAt(config, path);
    const names = (typeof value === "string" ? [value] : listOf(value)).flatMap((name) => textOf(name) ?? []);
    const known = (name: string): boolean =>
      name.includes("/") && (isProvider(name.split("/")[0] ?? "") || Object.hasOwn(own, name.split("/")[0] ?? ""));
    for (const name of names.filter((each) => !known(each)))
      leave(path, { key: "import.why.model", values: { model: name } });
    const good = names.filter(known);
    if (good.length > 0) set(path, to, to === "model" ? (good[0] ?? null) : good);
  };
  for (const place of [
    ["agents", "defaults", "model"],
    ["agent", "model"],
  ]) {
    if (typeof valueAt(config, place) === "string") model(place, "model");
    model([...place, "primary"], "model");
    model([...place, "fallbacks"], "fallbackModels");
  }
  take(["agents", "defaults", "userTimezone"], "timeZone");
  for (const [id, value] of Object.entries(own)) {
    const at = ["models", "providers", id];
    const secret = secretOf(valueAt(config, [...at, "apiKey"]));
    if (secret !== undefined) set([...at, "apiKey"], `providers.${id}.apiKey`, secret);
    take([...at, "baseUrl"], `providers.${id}.baseUrl`);
    const api = APIS[textOf(objectOf(value)["api"]) ?? "openai-completions"];
    if (!isProvider(id) && api !== undefined) set([...at, "api"], `providers.${id}.api`, api);
    for (const name of Object.keys(objectOf(objectOf(value)["headers"])))
      take([...at, "headers", name], `providers.${id}.headers.${name}`);
  }
  for (const block of [["env"], ["env", "vars"]])
    for (const [name, value] of Object.entries(objectOf(valueAt(config, block)))) {
      const id = typeof value === "string" ? options.providerOf(name) : undefined;
      if (id !== undefined) take([...block, name], `providers.${id}.apiKey`);
    }
  for (const name of Object.keys(objectOf(valueAt(config, ["mcp", "servers"])))) {
    const at = ["mcp", "servers", name];
    for (const field of ["command", "args", "url"]) take([...at, field], `mcpServers.${name}.${field}`);
    for (const field of ["env", "headers"])
      for (const each of Object.keys(objectOf(valueAt(config, [...at, field]))))
        take([...at, field, each], `mcpServers.${name}.${field}.${each}`);
  }
  for (const [name, value] of Object.entries(objectOf(config["channels"]))) {
    if (!isObject(value)) continue;
    const at = ["channels", name];
    const reason = { key: isChannel(name) ? "import.why.channel" : "import.why.noChannel", values: { name } } as const;
    if (value["enabled"] === false) leave(at, { key: "import.why.notInUse" });
    else leave(at, reason);
  }
  for (const leaf of leaves(config))
    if (!used.has(leaf.join(".")))
      found.skipped.push({ area: "config", from: from(leaf), reason: { key: "import.why.noKey" } });
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
