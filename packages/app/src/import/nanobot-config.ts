// nanobot's settings in our keys. What has none is named, and nothing is made looser than it is here.
import type { Json, JsonObject } from "@margay/core";
import { isObject, leaves, listOf, objectOf, textOf, valueAt } from "./json.ts";
import type { ReadOptions, Source } from "./source.ts";

/** Theirs → ours, where the value means the same. */
const SAME: readonly (readonly [string, string])[] = [
  ["agents.defaults.maxTokens", "agent.maxTokens"],
  ["agents.defaults.temperature", "agent.temperature"],
  ["agents.defaults.maxToolIterations", "agent.maxIterations"],
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

export function nanobotSettings(found: Source, config: JsonObject, isProvider: ReadOptions["isProvider"]): void {
  const used = new Set<string>();
  const take = (names: readonly string[], path: string, change: (value: Json) => Json = (value) => value): void => {
    const value = valueAt(config, names);
    if (leaves(value).length === 0 || value === undefined) return;
    for (const leaf of leaves(value, names)) used.add(leaf.join("."));
    found.settings.push({ from: `config.json ${names.join(".")}`, path, value: change(value) });
  };
  const leave = (names: readonly string[], key: "import.why.looser" | "import.why.everyone"): void => {
    used.add(names.join("."));
    found.skipped.push({ area: "config", from: `config.json ${names.join(".")}`, reason: { key } });
  };
  used.add("agents.defaults.workspace").add("agents.defaults.provider"); // a place, and a part of the model's name

  takeModel(found, config, used, isProvider);
  for (const [from, to] of SAME) take(from.split("."), to);
  take(["gateway", "heartbeat", "intervalS"], "heartbeat.intervalMinutes", (value) =>
    typeof value === "number" ? Math.max(1, Math.round(value / 60)) : value,
  );
  const restrict = ["tools", "restrictToWorkspace"];
  if (valueAt(config, restrict) === false) leave(restrict, "import.why.looser");
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
    if (!isObject(value)) continue;
    const at = ["channels", name];
    take([...at, "token"], `channels.${name}.token`);
    const allowed = listOf(value["allowFrom"]);
    if (allowed.includes("*")) leave([...at, "allowFrom"], "import.why.everyone");
    else take([...at, "allowFrom"], `channels.${name}.allowFrom`, (list) => listOf(list).map(String));
    if (value["enabled"] !== true) {
      for (const leaf of leaves(value, at)) used.add(leaf.join(".")); // defaults of a channel that is not used
      continue;
    }
    used.add(`channels.${name}.enabled`);
    const reason = { key: "import.why.channel", values: { name } } as const;
    found.skipped.push({ area: "config", from: `config.json channels.${name}.enabled`, reason });
  }
  for (const name of Object.keys(objectOf(valueAt(config, ["tools", "mcpServers"])))) {
    const at = ["tools", "mcpServers", name];
    for (const field of ["command", "args", "url", "enabledTools", "disabled"])
      take([...at, field], `mcpServers.${name}.${field}`);
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

/** Theirs may leave the provider to be guessed; ours is always `provider/model`. */
function takeModel(found: Source, config: JsonObject, used: Set<string>, isProvider: ReadOptions["isProvider"]): void {
  const at = ["agents", "defaults", "model"];
  const model = textOf(valueAt(config, at));
  if (model === undefined) return;
  used.add(at.join("."));
  const from = `config.json ${at.join(".")}`;
  const providers = objectOf(config["providers"]);
  const idOf = (name: string): string => PROVIDERS[name] ?? name;
  const keyed = Object.keys(providers)
    .filter((name) => textOf(objectOf(providers[name])["apiKey"]) !== undefined)
    .map(idOf);
  const chosen = textOf(valueAt(config, ["agents", "defaults", "provider"]));
  const first = idOf(model.split("/")[0] ?? "");
  const rest = model.slice(model.indexOf("/") + 1);
  const isPrefixed = model.includes("/") && isProvider(first);
  // A router serves the models of others under their full names.
  const provider =
    chosen !== undefined && chosen !== "auto"
      ? idOf(chosen)
      : isPrefixed && (keyed.includes(first) || !keyed.includes("openrouter"))
        ? first
        : keyed.includes("openrouter")
          ? "openrouter"
          : keyed.length === 1
            ? keyed[0]
            : undefined;
  if (provider === undefined)
    found.skipped.push({ area: "config", from, reason: { key: "import.why.model", values: { model } } });
  else
    found.settings.push({
      from,
      path: "model",
      value: provider === first ? `${first}/${rest}` : `${provider}/${model}`,
    });
}

/** Both spellings that nanobot reads; names that people chose stay as they are. */
export function camelKeys(value: JsonObject, inside = ""): JsonObject {
  const isChosen = ["mcpServers", "env", "headers", "extraHeaders"].includes(inside);
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => {
      const key = isChosen ? name : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [key, isObject(below) ? camelKeys(below, key) : below];
    }),
  );
}
