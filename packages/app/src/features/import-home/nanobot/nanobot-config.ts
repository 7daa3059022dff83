// nanobot's settings in our keys. What has none is named, and nothing is made looser than it is here.
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { findVendor } from "../../../models/catalog.ts";
import { leaves, listOf, objectOf, textOf, valueAt } from "../json.ts";
import { emptySource, isChannel, type Reason, type ReadOptions, type Source } from "../source.ts";

/** Theirs → ours, where the value means the same. */
const SAME: readonly (readonly [string, string])[] = [
  ["agents.defaults.maxTokens", "agent.maxTokens"],
  ["agents.defaults.temperature", "agent.temperature"],
  ["agents.defaults.maxToolIterations", "agent.maxIterations"],
  ["agents.defaults.reasoningEffort", "agent.thinking"],
  ["agents.defaults.disabledSkills", "skills.disabled"],
  ["agents.defaults.maxConcurrentSubagents", "subagents.concurrency"],
  ["agents.defaults.memoryWindow", "agent.memoryWindow"],
  ["channels.sendProgress", "channels.sendProgress"],
  ["channels.sendToolHints", "channels.sendToolHints"],
  ["tools.web.search.apiKey", "tools.webSearch.apiKey"],
  ["tools.web.search.maxResults", "tools.webSearch.count"],
  ["tools.exec.timeout", "tools.exec.timeoutSeconds"],
  ["tools.exec.pathAppend", "tools.exec.pathAppend"],
  ["gateway.heartbeat.enabled", "heartbeat.enabled"],
];
/** Where their name of a provider is not ours. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: "google", lmStudio: "lmstudio" };

export function nanobotSettings(
  found: Source,
  config: JsonObject,
  { isProvider, isChannel }: Pick<ReadOptions, "isProvider" | "isChannel">,
): void {
  const used = new Set<string>();
  const take = (names: readonly string[], path: string, change: (value: Json) => Json = (value) => value): void => {
    const value = valueAt(config, names);
    if (leaves(value).length === 0 || value === undefined || used.has(names.join("."))) return;
    for (const leaf of leaves(value, names)) used.add(leaf.join("."));
    found.settings.push({ from: `config.json ${names.join(".")}`, path, value: change(references(value)) });
  };
  const leave = (names: readonly string[], reason: Reason): void => {
    for (const leaf of leaves(valueAt(config, names), names)) used.add(leaf.join("."));
    found.skipped.push({ area: "config", from: `config.json ${names.join(".")}`, reason });
  };
  used.add("agents.defaults.workspace"); // a place

  takeModels(found, config, used, isProvider);
  // `auto` writes down what it found on that machine; ours finds it here.
  const zone = ["agents", "defaults", "timezone"];
  if (valueAt(config, ["agents", "defaults", "timezoneMode"]) !== "auto") take(zone, "timeZone");
  else for (const name of ["timezone", "timezoneMode"]) used.add(`agents.defaults.${name}`);
  for (const [from, to] of SAME) take(from.split("."), to);
  take(["gateway", "heartbeat", "intervalS"], "heartbeat.intervalMinutes", (value) =>
    typeof value === "number" ? Math.max(1, Math.round(value / 60)) : value,
  );
  const restrict = ["tools", "restrictToWorkspace"];
  if (valueAt(config, restrict) === false) leave(restrict, { key: "import.why.looser" });
  else take(restrict, "tools.restrictToWorkspace");

  for (const [name, value] of Object.entries(objectOf(config["providers"]))) {
    const id = PROVIDERS[name] ?? name;
    const at = ["providers", name];
    const known = isProvider(id);
    const base = textOf(objectOf(value)["apiBase"]);
    if (!known && base === undefined) continue; // named below as not taken over
    take([...at, "apiKey"], `providers.${id}.apiKey`);
    take([...at, "apiBase"], `providers.${id}.baseUrl`);
    if (!known)
      found.settings.push({ from: `config.json ${at.join(".")}`, path: `providers.${id}.api`, value: "openai-chat" });
    takeEach([...at, "extraHeaders"], `providers.${id}.headers`);
  }
  for (const [name, value] of Object.entries(objectOf(config["channels"]))) {
    if (!isRecord(value)) continue;
    const at = ["channels", name];
    if (value["enabled"] !== true) {
      leave(at, { key: "import.why.notInUse" });
      continue;
    }
    if (!isChannel(name)) {
      leave(at, { key: "import.why.noChannel", values: { name } });
      continue;
    }
    take([...at, "token"], `channels.${name}.token`);
    if (listOf(value["allowFrom"]).includes("*")) leave([...at, "allowFrom"], { key: "import.why.everyone" });
    else take([...at, "allowFrom"], `channels.${name}.allowFrom`, (list) => listOf(list).map(String));
    leave([...at, "enabled"], { key: "import.why.channel", values: { name } });
  }
  for (const name of Object.keys(objectOf(valueAt(config, ["tools", "mcpServers"])))) {
    const at = ["tools", "mcpServers", name];
    for (const field of ["command", "args", "url", "disabled"]) take([...at, field], `mcpServers.${name}.${field}`);
    const tools = [...at, "enabledTools"];
    if (listOf(valueAt(config, tools)).includes("*")) used.add(tools.join(".")); // all, as when none is named here
    else take(tools, `mcpServers.${name}.enabledTools`);
    for (const field of ["env", "headers"]) takeEach([...at, field], `mcpServers.${name}.${field}`);
  }
  const rest = leaves(config).map((leaf) => leaf.join("."));
  for (const path of rest.filter((each) => !used.has(each)))
    found.skipped.push({ area: "config", from: `config.json ${path}`, reason: { key: "import.why.noKey" } });

  /** Each value of a map by itself: all may be secrets. */
  function takeEach(names: readonly string[], path: string): void {
    for (const name of Object.keys(objectOf(valueAt(config, names)))) take([...names, name], `${path}.${name}`);
  }
}

/** The model in use, by itself or as a named preset, and what is tried after it. */
function takeModels(found: Source, config: JsonObject, used: Set<string>, isProvider: ReadOptions["isProvider"]): void {
  const defaults = objectOf(valueAt(config, ["agents", "defaults"]));
  const presets = objectOf(config["modelPresets"]);
  const name = textOf(defaults["modelPreset"]);
  const isPreset = name !== undefined && isRecord(presets[name]);
  const at = isPreset ? ["modelPresets", name] : ["agents", "defaults"];
  const chosen = isPreset ? objectOf(presets[name]) : defaults;
  used.add("agents.defaults.modelPreset");
  const from = `config.json ${at.join(".")}.model`;
  const model = textOf(chosen["model"]);
  used.add([...at, "model"].join(".")).add([...at, "provider"].join("."));
  const skip = (place: string, named: string): void =>
    void found.skipped.push({
      area: "config",
      from: place,
      reason: { key: "import.why.model", values: { model: named } },
    });
  if (model !== undefined) {
    const value = modelOf(model, textOf(chosen["provider"]), config, isProvider);
    if (value === undefined) skip(from, model);
    else found.settings.push({ from, path: "model", value });
  }
  if (isPreset)
    for (const field of ["maxTokens", "temperature"]) {
      const value = chosen[field];
      if (value === undefined || value === null) continue;
      used.add([...at, field].join(".")).add(`agents.defaults.${field}`); // the preset's is what holds
      found.settings.push({ from: `config.json ${[...at, field].join(".")}`, path: `agent.${field}`, value });
    }
  const next: string[] = [];
  const fallbacks = listOf(defaults["fallbackModels"]);
  for (const item of fallbacks) {
    const inline = typeof item === "string" ? objectOf(presets[item]) : objectOf(item);
    const id = textOf(inline["model"]) ?? (typeof item === "string" ? item : "");
    const value = modelOf(id, textOf(inline["provider"]), config, isProvider);
    if (typeof item === "string") for (const field of ["model", "provider"]) used.add(`modelPresets.${item}.${field}`);
    if (value === undefined) skip("config.json agents.defaults.fallbackModels", id);
    else next.push(value);
  }
  used.add("agents.defaults.fallbackModels");
  if (next.length > 0)
    found.settings.push({ from: "config.json agents.defaults.fallbackModels", path: "fallbackModels", value: next });
}

/** Theirs may leave the provider to be guessed; ours is always `provider/model`. */
function modelOf(
  model: string,
  chosen: string | undefined,
  config: JsonObject,
  isProvider: ReadOptions["isProvider"],
): string | undefined {
  if (model === "") return undefined;
  const providers = objectOf(config["providers"]);
  const idOf = (name: string): string => PROVIDERS[name] ?? name;
  const keyed = Object.keys(providers)
    .filter((name) => textOf(objectOf(providers[name])["apiKey"]) !== undefined)
    .map(idOf);
  const own = Object.keys(providers).filter((name) => textOf(objectOf(providers[name])["apiBase"]) !== undefined);
  const first = idOf(model.split("/")[0] ?? "");
  const rest = model.slice(model.indexOf("/") + 1);
  const isPrefixed = model.includes("/") && (isProvider(first) || own.includes(first));
  // A router serves the models of others under their full names.
  const provider =
    chosen !== undefined && chosen !== "auto"
      ? idOf(chosen.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
      : isPrefixed && (keyed.includes(first) || own.includes(first) || !keyed.includes("openrouter"))
        ? first
        : keyed.includes("openrouter")
          ? "openrouter"
          : keyed.length === 1
            ? keyed[0]
            : undefined;
  if (provider === undefined) return undefined;
  return provider === first && model.includes("/") ? `${first}/${rest}` : `${provider}/${model}`;
}

/** `${NAME}` is a variable there and here; every other `${` is a text there, and a reference here. */
export function references(value: Json): Json {
  if (typeof value === "string") return value.replaceAll(/\$\{(?![A-Za-z_][A-Za-z0-9_]*\})/g, () => "$${");
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, references(below)]));
  return Array.isArray(value) ? listOf(value).map(references) : value;
}

/** Both spellings that nanobot reads; names that people chose stay as they are. */
export function camelKeys(value: JsonObject, inside = ""): JsonObject {
  const isChosen = ["mcpServers", "env", "headers", "extraHeaders", "modelPresets"].includes(inside);
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => {
      const key = isChosen ? name : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [key, isRecord(below) ? camelKeys(below, key) : below];
    }),
  );
}

/** Of its `config.json` alone: chats, memory and jobs lie beside it in its folder. */
export function nanobotConfigAlone(config: JsonObject): Pick<Source, "settings" | "skipped"> {
  const found = emptySource("nanobot", "");
  const isProvider = (id: string): boolean => findVendor(id) !== undefined;
  nanobotSettings(found, camelKeys(config), { isProvider, isChannel });
  return found;
}
