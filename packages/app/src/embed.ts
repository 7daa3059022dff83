/** The configured agent as a library: what the commands compose. `index.ts` is what embedders see of it. */
import type { Channel, JsonObject } from "@margay/core";
import type { App } from "./app.ts";
import { compose } from "./compose/compose.ts";
import { processEnvironment } from "./config/environment.ts";
import { loadConfig } from "./config/load.ts";
import { appendLog } from "./config/log-file.ts";
import { placesOf } from "./config/paths.ts";
import { translator } from "./texts/translate.ts";

export interface OpenOptions {
  /** State directory. Default: `MARGAY_HOME`, else `~/.margay`. */
  readonly home?: string;
  /** In place of `config.json`, with the same schema. */
  readonly config?: JsonObject;
}

/** @throws RuntimeError `config.invalid`, `config.unreadable`, `state.locked`, `state.inside-workspace`. */
export function openApp(options: OpenOptions = {}, otherChannels?: Channel): Promise<App> {
  const { env, userHome, currentDirectory } = processEnvironment();
  const places = placesOf({ flag: options.home, env, userHome, currentDirectory });
  const t = translator("en");
  const loaded = loadConfig({
    places,
    env,
    userHome,
    t,
    ...(options.config !== undefined && { object: options.config }),
  });
  return compose({
    loaded,
    language: loaded.config.language,
    env,
    ...(otherChannels !== undefined && { otherChannels }),
    writeLog: (line) => appendLog(places.log, line),
  });
}
