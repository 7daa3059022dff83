/** A running process follows `config.json` and the vault it names; when the file is damaged it keeps the last good one and says so. */
import { dirname, join } from "node:path";
import { hasCode, type RuntimeError } from "@margay/core";
import { readIfExists, untilAborted } from "@margay/core/internal";
import { hashOf, loadConfig, type Loaded, type LoadOptions } from "./load.ts";

export interface ConfigWatcher {
  /** A valid configuration replaced the last one. */
  readonly changed: (loaded: Loaded) => void;
  /** The file cannot be used; the last good configuration holds. */
  readonly refused: (error: RuntimeError) => void;
}

const REFUSED = [
  "config.invalid",
  "config.unreadable",
  "state.inside-workspace",
  "vault.locked",
  "vault.wrong-key",
  "vault.damaged",
  "vault.shared",
  "keyring.failed",
] as const;

/** Resolves when `signal` aborts. */
export async function watchConfig(options: LoadOptions, watcher: ConfigWatcher, signal: AbortSignal): Promise<void> {
  const { config: path } = options.places;
  const vault = join(dirname(path), "vault.json");
  const content = (): string => `${contentHash(path)} ${contentHash(vault)}`;
  let last = content();
  const look = (): void => {
    const now = content();
    if (now === last) return;
    last = now;
    try {
      watcher.changed(loadConfig(options));
    } catch (error) {
      if (!hasCode(error, ...REFUSED)) throw error;
      watcher.refused(error);
    }
  };
  using _config = options.places.docs.watch("config.json", look);
  using _vault = options.places.docs.watch("vault.json", look);
  await untilAborted(signal);
}

function contentHash(path: string): string | undefined {
  try {
    const bytes = readIfExists(path);
    return bytes === undefined ? undefined : hashOf(bytes.toString("utf8"));
  } catch {
    return "unreadable"; // loadConfig says why
  }
}
