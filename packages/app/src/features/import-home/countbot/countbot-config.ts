// CountBot's settings in our keys. What has none is named, and nothing is made looser than it is here.
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { leaves, listOf, objectOf, textOf, valueAt } from "../json.ts";
import type { Reason, ReadOptions, Source } from "../source.ts";

/** Theirs → ours, where the value means the same. */
const SAME: readonly (readonly [string, string])[] = [
  ["model.max_iterations", "agent.maxIterations"],
  ["security.command_timeout", "tools.exec.timeoutSeconds"],
  ["security.max_output_length", "tools.exec.maxOutputChars"],
  ["security.custom_deny_patterns", "tools.exec.denyPatterns"],
  ["security.subagent_timeout", "subagents.timeoutSeconds"],
  ["persona.ai_name", "persona.name"],
  ["persona.user_name", "persona.userName"],
  ["persona.user_address", "persona.userAddress"],
  ["persona.heartbeat.enabled", "greeting.enabled"],
  ["persona.heartbeat.idle_threshold_hours", "greeting.idleHours"],
  ["persona.heartbeat.max_greets_per_day", "greeting.maxPerDay"],
];
/** Where 0 means that nothing is sent. */
const UNLESS_ZERO: readonly (readonly [string, string])[] = [
  ["model.temperature", "agent.temperature"],
  ["model.max_tokens", "agent.maxTokens"],
];
/** Where their name of a provider is not ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  gemini: "google",
  qwen: "dashscope",
  lm_studio: "lmstudio",
  ernie: "qianfan",
  doubao: "volcengine",
};

/** How every token of Fernet begins. */
const LOCKED = "gAAAAA";

export function countbotSettings(found: Source, file: string, config: JsonObject, options: ReadOptions): void {
  const { isProvider, isChannel } = options;
  const used = new Set<string>(["workspace.path", "model.api_mode"]);
  const at = (path: string): Json | undefined => valueAt(config, path.split("."));
  const from = (path: string): string => `${file} settings config.${path}`;
  const use = (path: string): void => {
    for (const leaf of leaves(at(path), path.split("."))) used.add(leaf.join("."));
  };
  const take = (path: string, to: string, change: (value: Json) => Json = (value) => value): void => {
    const value = at(path);
    if (value === undefined || leaves(value).length === 0) return;
    use(path);
    found.settings.push({ from: from(path), path: to, value: change(literal(value)) });
  };
  const leave = (path: string, reason: Reason): void => {
    use(path);
    found.skipped.push({ area: "config", from: from(path), reason });
  };

  for (const [path, to] of SAME) take(path, to);
  for (const [path, to] of UNLESS_ZERO)
    if (at(path) === 0) use(path);
    else take(path, to);
  const provider = textOf(at("model.provider"));
  const model = textOf(at("model.model"));
  const providers = objectOf(config["providers"]);
  const inUse = Object.entries(providers).filter(([, value]) => isInUse(objectOf(value)));
  if (
    provider !== undefined &&
    model !== undefined &&
    (isProvider(idOf(provider)) || inUse.some(([id]) => id === provider))
  )
    take("model.model", "model", () => `${idOf(provider)}/${model}`);
  else if (model !== undefined) leave("model.model", { key: "import.why.model", values: { model } });
  used.add("model.provider");
  for (const name of Object.keys(providers)) {
    const path = `providers.${name}`;
    if (!inUse.some(([id]) => id === name)) {
      use(path); // the defaults of a provider that has no key
      continue;
    }
    const id = idOf(name);
    // Its early versions could lock keys with another one that stands elsewhere: what is stored is no key then.
    if (textOf(at(`${path}.api_key`))?.startsWith(LOCKED) === true)
      leave(`${path}.api_key`, { key: "import.why.login", values: { kind: found.kind } });
    else take(`${path}.api_key`, `providers.${id}.apiKey`);
    const keys = listOf(at(`${path}.api_keys`));
    if (keys.length > 1) leave(`${path}.api_keys`, { key: "import.why.noKey" });
    if (!options.isUsualAddress(id, textOf(at(`${path}.api_base`)) ?? ""))
      take(`${path}.api_base`, `providers.${id}.baseUrl`);
    if (!isProvider(id))
      found.settings.push({
        from: from(path),
        path: `providers.${id}.api`,
        value: name.includes("anthropic") ? "anthropic" : "openai-chat",
      });
    use(path);
  }
  if (at("security.restrict_to_workspace") === false)
    leave("security.restrict_to_workspace", { key: "import.why.looser" });
  else take("security.restrict_to_workspace", "tools.restrictToWorkspace");
  takeGreeting(take, use, at, isChannel, leave);
  const personality = textOf(at("persona.personality"));
  if (personality === "custom") {
    take("persona.custom_personality", "persona.custom");
    used.add("persona.personality");
  } else take("persona.personality", "persona.preset");
  for (const [name, value] of Object.entries(objectOf(config["channels"]))) {
    if (!isRecord(value)) continue;
    const path = `channels.${name}`;
    if (value["enabled"] !== true) use(path); // the defaults of a channel that is not used
    else if (isChannel(name)) leave(path, { key: "import.why.channel", values: { name } });
    else leave(path, { key: "import.why.noChannel", values: { name } });
  }
  for (const leaf of leaves(config).map((names) => names.join(".")))
    if (!used.has(leaf)) found.skipped.push({ area: "config", from: from(leaf), reason: { key: "import.why.noKey" } });
}

type Take = (path: string, to: string, change?: (value: Json) => Json) => void;

/** Its heartbeat is a greeting: here too it is a setting and no job. */
function takeGreeting(
  take: Take,
  use: (path: string) => void,
  at: (path: string) => Json | undefined,
  isChannel: ReadOptions["isChannel"],
  leave: (path: string, reason: Reason) => void,
): void {
  const heartbeat = "persona.heartbeat";
  const [start, end] = [at(`${heartbeat}.quiet_start`), at(`${heartbeat}.quiet_end`)];
  if (typeof start === "number" && typeof end === "number") {
    const hour = (value: number): string => String(value).padStart(2, "0");
    take(`${heartbeat}.quiet_start`, "greeting.quietHours", () => `${hour(start)}-${hour(end)}`);
    use(`${heartbeat}.quiet_end`);
  }
  const channel = textOf(at(`${heartbeat}.channel`));
  const chat = textOf(at(`${heartbeat}.chat_id`));
  for (const name of ["account_id", "schedule"]) use(`${heartbeat}.${name}`);
  if (channel === undefined || chat === undefined) return;
  if (isChannel(channel)) take(`${heartbeat}.chat_id`, "greeting.target", () => `${channel}:${chat}`);
  else leave(`${heartbeat}.chat_id`, { key: "import.why.noChannel", values: { name: channel } });
  use(`${heartbeat}.channel`);
}

function isInUse(provider: JsonObject): boolean {
  return textOf(provider["api_key"]) !== undefined;
}

function idOf(name: string): string {
  return PROVIDERS[name] ?? name;
}

/** Its values are texts and never references. */
function literal(value: Json): Json {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return listOf(value).map(literal);
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, below]) => [name, literal(below)]))
    : value;
}
