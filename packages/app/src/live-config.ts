/** A running agent follows its configuration: what can change does so from the next turn on (R12, R313). */
import { messageOf } from "@margay/core";
import type { App } from "./app.ts";
import type { Loaded, LoadOptions } from "./config/load.ts";
import { agentSettings } from "./config/settings.ts";
import { watchConfig } from "./config/watch.ts";
import { chooseModel } from "./model.ts";
import type { Part } from "./run.ts";

export function liveConfig(app: App, options: LoadOptions): Part {
  let last = app.loaded;
  const changed = (loaded: Loaded): void => {
    const before = last;
    try {
      applyConfig(app, loaded, options.env);
    } catch (error) {
      app.log.error("config.refused", { message: messageOf(error) });
      return;
    }
    last = loaded;
    const waiting = changedKeys(before, loaded).filter((key) => key.restart);
    app.log.info("config.changed", { restart: waiting.map((key) => key.path) });
  };
  return {
    name: "config",
    run: (signal) =>
      watchConfig(
        options,
        { changed, refused: (error) => app.log.error("config.refused", { message: error.message }) },
        signal,
      ),
  };
}

/** @throws RuntimeError `provider.unknown`: nothing was changed. */
export function applyConfig(app: App, loaded: Loaded, env: LoadOptions["env"]): void {
  const { config, timeZone } = loaded;
  const { provider, model, contextWindow } = chooseModel({ config, env, clock: app.clock, home: loaded.places.home });
  app.disableSkills(config.skills.disabled);
  app.schedule.configure(loaded);
  app.agent.configure({ settings: agentSettings({ config, timeZone, contextWindow }), provider, model });
}

/** Keys whose value differs, and whether the new one is used at the next start only. */
export function changedKeys(
  before: Loaded,
  after: Loaded,
): readonly { readonly path: string; readonly restart: boolean }[] {
  const old = new Map(before.entries.map((entry) => [entry.path, JSON.stringify(entry.value)]));
  return after.entries
    .filter((entry) => old.get(entry.path) !== JSON.stringify(entry.value))
    .map((entry) => ({ path: entry.path, restart: entry.key.restart === true }));
}
