/** Which models can be used, and whether one answers: for `margay models`, `doctor` and the settings page. */
import { type ModelRequest, type Usage } from "@margay/core";
import { NO_USAGE, systemClock } from "@margay/core/internal";
import type { Config } from "../config/config.ts";
import { modelRef } from "../config/agent-settings.ts";
import { effectiveModel, keysOf, knownModel, providerFor } from "./choose-model.ts";
import { findPlugin, hasOtherCredentials, KNOWN_PLUGINS } from "./known-plugins.ts";
import { findVendor } from "./catalog.ts";
import { vendorsHere } from "./vendors-here.ts";

export interface KnownProvider {
  readonly id: string;
  readonly name: string;
  /** Absent when the model has to be named. */
  readonly defaultModel?: string;
  readonly baseUrl?: string;
  /** Variables that may hold its key; empty: it needs none. */
  readonly variables: readonly string[];
  readonly hasKey: boolean;
  readonly local: boolean;
}

export { effectiveModel, knownModel };

type Env = Readonly<Record<string, string | undefined>>;

/** The catalog and what the configuration adds to it. */
export function knownProviders(config: Config, env: Env): readonly KnownProvider[] {
  const own = Object.keys(config.providers).filter(
    (id) => findVendor(id) === undefined && findPlugin(id) === undefined,
  );
  return [
    ...vendorsHere(env).map(({ id, name, defaultModel, baseUrl, keys, local }) => ({
      id,
      name,
      ...(defaultModel !== undefined && { defaultModel }),
      baseUrl: config.providers[id]?.baseUrl ?? baseUrl,
      variables: keys,
      hasKey: keysOf(id, config, env).length > 0,
      local: local === true,
    })),
    ...KNOWN_PLUGINS.map(({ id, name, keys }) => ({
      id,
      name: `${name} (plugin)`,
      variables: keys,
      hasKey: keysOf(id, config, env).length > 0 || hasOtherCredentials(id, env),
      local: false,
      ...(config.providers[id]?.baseUrl !== undefined && { baseUrl: config.providers[id].baseUrl }),
    })),
    ...own.map((id) => ({
      id,
      name: id,
      variables: [],
      hasKey: keysOf(id, config, env).length > 0,
      local: false,
      ...(config.providers[id]?.baseUrl !== undefined && { baseUrl: config.providers[id].baseUrl }),
    })),
  ];
}

/** The variable to set when the provider of a model has no key; undefined when it needs none or has one. */
export function missingKey(ref: string, config: Config, env: Env): string | undefined {
  const { provider } = modelRef(ref);
  if (keysOf(provider, config, env).length > 0 || hasOtherCredentials(provider, env)) return undefined;
  return (findVendor(provider) ?? findPlugin(provider))?.keys[0];
}

export interface Probe {
  readonly ms: number;
  readonly usage: Usage;
  readonly text: string;
}

/**
 * One short request without tools.
 * @throws RuntimeError `provider.*`, as a turn would see it.
 */
export async function probeModel(
  ref: string,
  options: { readonly config: Config; readonly env: Env; readonly home: string },
  signal: AbortSignal,
): Promise<Probe> {
  const clock = systemClock();
  const model = modelRef(ref);
  const provider = providerFor(model, { ...options, clock });
  const started = clock.monotonic();
  let usage: Usage = NO_USAGE;
  let text = "";
  for await (const event of provider.stream(probeRequest(model.model, clock.now()), signal)) {
    if (event.type === "text.delta") text += event.text;
    if (event.type === "done") usage = event.usage;
  }
  return { ms: Math.round(clock.monotonic() - started), usage, text };
}

/** Some models count thinking as output: fewer tokens would be refused or answered with nothing. */
const PROBE_TOKENS = 64;

function probeRequest(model: string, at: number): ModelRequest {
  return {
    id: "probe",
    model,
    prefix: { hash: "probe", system: "You are being tested. Answer with the one word: ok", tools: [] },
    messages: [
      {
        role: "user",
        id: "probe",
        at,
        from: { id: "user", kind: "person" },
        parts: [{ type: "text", text: "Say ok." }],
      },
    ],
    sampling: { maxOutputTokens: PROBE_TOKENS, thinking: "off", toolChoice: "none" },
    cacheKey: "probe",
    media: () => Promise.resolve(new Uint8Array()),
  };
}
