/** Values of the configuration that no log, journal or prompt may show. */
import type { ComposeOptions } from "../app.ts";
import type { Loaded } from "../config/load.ts";
import { keysOf } from "../models/choose-model.ts";
import { searchKeys } from "./tools.ts";

export function secretsOf(loaded: Loaded, env: ComposeOptions["env"]): readonly string[] {
  const { config, secrets } = loaded;
  return [
    ...secrets,
    ...Object.values(searchKeys(loaded, env)),
    ...Object.keys(config.providers).flatMap((id) => keysOf(id, config, env)),
  ];
}
