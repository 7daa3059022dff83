/** Whom tokens ask for. Apart from `state.ts`: each start needs this, and nobody at a start needs a schema library. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { isRecord, parseJson, readIfExists } from "@margay/core/internal";

/** Whom a token asks for, beside the owner, as `auth.json` says it now: asked for each message of a program. */
export function tokenReaders(home: string): (token: string) => string | undefined {
  const path = join(home, "auth.json");
  let seen = "";
  let readers: ReadonlyMap<string, string> = new Map();
  return (token) => {
    const found = statSync(path, { throwIfNoEntry: false });
    const now = found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (now !== seen) readers = readersIn(path);
    seen = now;
    return readers.get(token);
  };
}

/** @throws RuntimeError `config.invalid` when it is not what we wrote: a guest's token must not become the owner's. */
function readersIn(path: string): ReadonlyMap<string, string> {
  const bytes = readIfExists(path);
  if (bytes === undefined) return new Map();
  const state = parseJson(bytes.toString("utf8"));
  const tokens = isRecord(state) ? state["tokens"] : undefined;
  const whole = Array.isArray(tokens) && tokens.every(isToken);
  if (!whole) throw new RuntimeError("config.invalid", `${path} is damaged: it does not say whose tokens there are.`);
  return new Map(tokens.flatMap(({ id, for: reader }) => (reader === undefined ? [] : [[id, reader]])));
}

function isToken(value: unknown): value is { readonly id: string; readonly for?: string } {
  return isRecord(value) && typeof value["id"] === "string" && ["string", "undefined"].includes(typeof value["for"]);
}
