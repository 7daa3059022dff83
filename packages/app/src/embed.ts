/** The configured agent as a library: what the commands compose. `index.ts` is what embedders see of it. */
import type { Channel, JsonObject } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { App } from "./app.ts";
import { compose } from "./compose/compose.ts";
import { processEnvironment } from "./config/environment.ts";
import { loadConfig } from "./config/load.ts";
import { appendLog } from "./config/log-file.ts";
import { placesOf } from "./config/paths.ts";
import { openDoor } from "./host/control/server.ts";
import type { DoorOptions } from "./host/control/routes.ts";
import { translator } from "./texts/translate.ts";

export interface OpenOptions {
  /** State directory. Default: `MARGAY_HOME`, else `~/.margay`. */
  readonly home?: string;
  /** In place of `config.json`, with the same schema. */
  readonly config?: JsonObject;
}

/** @throws RuntimeError `config.invalid`, `config.unreadable`, `state.locked`, `state.inside-workspace`. */
export async function openApp(options: OpenOptions = {}, otherChannels?: Channel): Promise<App> {
  const environment = processEnvironment();
  const { env, userHome, currentDirectory } = environment;
  const places = placesOf({ flag: options.home, env, userHome, currentDirectory });
  const t = translator("en");
  const loadOptions = { places, env, userHome, t, ...(options.config !== undefined && { object: options.config }) };
  const loaded = loadConfig(loadOptions);
  const app = await compose({
    loaded,
    language: loaded.config.language,
    env,
    ...(otherChannels !== undefined && { otherChannels }),
    writeLog: (line) => appendLog(places.log, line),
  });
  return withDoor(app, {
    environment,
    loadOptions,
    surface: async () => (await import("./compose/surface.ts")).SURFACE,
  });
}

/** Commands and terminals work beside a program that embeds the agent, as beside every other. */
async function withDoor(app: App, options: DoorOptions): Promise<App> {
  const door = await openDoor(app, options).catch((error: unknown) => {
    app.log.warn("control.closed", { message: messageOf(error) }); // they wait for the end of this program
    return undefined;
  });
  const close = async (): Promise<void> => {
    await door?.[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  };
  return Object.create(app, { [Symbol.asyncDispose]: { value: close } }) as App; // the same, with another end
}
