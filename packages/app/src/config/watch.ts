/** A running process follows `config.json` and the vault it names; when the file is damaged it keeps the last good one and says so. */
import { hasCode, type RuntimeError } from "@margay/core";
import { untilAborted, type Docs } from "@margay/core/internal";
import { CONFIG_DOC, hashOf, loadConfig, type Loaded, type LoadOptions } from "./load.ts";
import { VAULT_DOC } from "./secrets/vault.ts";

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
  const { docs } = options.places;
  const content = (): string => [CONFIG_DOC, VAULT_DOC].map((name) => contentHash(docs, name)).join(" ");
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
  using _config = docs.watch(CONFIG_DOC, look);
  using _vault = docs.watch(VAULT_DOC, look);
  await untilAborted(signal);
}

function contentHash(docs: Docs, name: string): string | undefined {
  try {
    const doc = docs.peek(name);
    return doc && hashOf(doc.body);
  } catch {
    return "unreadable"; // loadConfig says why
  }
}
