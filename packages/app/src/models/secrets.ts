/** Values of the configuration that no log, journal or prompt may show. */
import type { Loaded } from "../config/load.ts";
import { keysOf } from "./choose-model.ts";

type Env = Readonly<Record<string, string | undefined>>;

const BRAVE = "BRAVE_API_KEY";
const TAVILY = "TAVILY_API_KEY";

export function secretsOf(loaded: Loaded, env: Env): readonly string[] {
  const { config, secrets } = loaded;
  return [
    ...secrets,
    ...Object.values(searchKeys(loaded, env)),
    ...Object.keys(config.providers).flatMap((id) => keysOf(id, config, env)),
  ];
}

/** `tools.webSearch.apiKey` belongs to the engine that is named; with `auto` to Brave, as in the seeds. */
export function searchKeys(
  { config, entries }: Loaded,
  env: Env,
): { readonly braveKey?: string; readonly tavilyKey?: string } {
  const { apiKey, engine } = config.tools.webSearch;
  const source = entries.find((entry) => entry.path === "tools.webSearch.apiKey")?.source;
  const configured = source?.from === "environment" ? undefined : apiKey;
  const brave = engine === "tavily" ? env[BRAVE] : (configured ?? env[BRAVE]);
  const tavily = engine === "tavily" ? (configured ?? env[TAVILY]) : env[TAVILY];
  return {
    ...(brave !== undefined && brave !== "" && { braveKey: brave }),
    ...(tavily !== undefined && tavily !== "" && { tavilyKey: tavily }),
  };
}
