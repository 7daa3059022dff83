/** A running agent follows its configuration: what can change does so from the next turn on. */
import { messageOf } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { Loaded, LoadOptions } from "../../config/load.ts";
import { watchConfig } from "../../config/watch.ts";
import type { Part } from "../run-parts.ts";

/** @param applied Called after a change was taken up. */
export function liveConfig(app: App, options: LoadOptions, applied: () => void = () => {}): Part {
  let last = app.loaded;
  const changed = (loaded: Loaded): void => {
    const before = last;
    try {
      app.configure(loaded);
    } catch (error) {
      app.log.error("config.refused", { message: messageOf(error) });
      return;
    }
    last = loaded;
    const waiting = changedKeys(before, loaded).filter((key) => key.restart);
    app.log.info("config.changed", { restart: waiting.map((key) => key.path) });
    applied();
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

/** Keys whose value differs, and whether the new one is used at the next start only. */
function changedKeys(before: Loaded, after: Loaded): readonly { readonly path: string; readonly restart: boolean }[] {
  const old = new Map(before.entries.map((entry) => [entry.path, JSON.stringify(entry.value)]));
  return after.entries
    .filter((entry) => old.get(entry.path) !== JSON.stringify(entry.value))
    .map((entry) => ({ path: entry.path, restart: entry.key.restart === true }));
}
