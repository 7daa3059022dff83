/** Whose an identity is, written into `config.json`: for `margay people link` and `margay channels pair --person`. */
import { RuntimeError, type Json } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { type ConfigFile, readConfigFile } from "../../config/load.ts";
import { saveChanges } from "../../config/save.ts";
import { valueAt } from "../../config/value-at.ts";
import { recordFromCommand } from "../control/record-from-command.ts";
import type { RecordedName } from "../control/recorded.ts";
import { type Identity, identityPlace, type IdentityPlace, OWNER } from "../people.ts";
import type { Cli } from "./command.ts";
import { safeText } from "./output.ts";

/** @returns whether it was not theirs before. @throws RuntimeError `usage.wrong`: no such person; `config.invalid`: somebody else's. */
export async function linkTo(cli: Cli, person: string, identity: Identity): Promise<boolean> {
  const { seen, path, list, entry } = listOf(cli, person, identity);
  if (list.includes(entry)) return false;
  await save(cli, seen, [[path, [...list, entry]]]);
  await record(cli, "person.linked", person, identity);
  return true;
}

/** @returns where it stood; undefined: it did not. */
export async function unlinkFrom(
  cli: Cli,
  person: string,
  identity: Identity,
): Promise<{ readonly path: string; readonly was: boolean }> {
  const { seen, path, list, entry } = listOf(cli, person, identity);
  const was = list.includes(entry);
  if (was) {
    await save(cli, seen, [[path, list.filter((one) => one !== entry)]]);
    await record(cli, "person.unlinked", person, identity);
  }
  return { path, was };
}

/** @throws RuntimeError `usage.wrong`: there is no such person. */
export function requirePerson(
  cli: Cli,
  person: string,
  { raw }: Pick<ConfigFile, "raw"> = readConfigFile(cli.places, cli.t),
): void {
  if (person !== OWNER && !isRecord(valueAt(raw, ["people", person]))) throw unknown(cli, person);
}

interface Linked extends IdentityPlace {
  /** Saved only over this: another process may link somebody at the same time. */
  readonly seen: ConfigFile;
}

/** @throws RuntimeError `usage.wrong`: no such person. */
function listOf(cli: Cli, person: string, identity: Identity): Linked {
  const seen = readConfigFile(cli.places, cli.t);
  requirePerson(cli, person, seen);
  return { seen, ...identityPlace(seen.raw, person, identity) };
}

export function unknown(cli: Cli, person: string): RuntimeError {
  const known = Object.keys(cli.loadShown().config.people).filter((name) => name !== OWNER);
  return new RuntimeError(
    "usage.wrong",
    cli.t("people.unknown", { name: safeText(person), known: [OWNER, ...known].join(", ") }),
  );
}

/** @throws RuntimeError `config.invalid`: a name that can change hands, or an identity of somebody else; `config.changed`. */
export async function save(
  cli: Cli,
  seen: ConfigFile,
  values: readonly (readonly [string, Json | undefined])[],
): Promise<void> {
  const { places, environment, t } = cli;
  await saveChanges(
    values.map(([path, value]) => ({ path, value, secrets: [] })),
    { places, env: environment.env, t, seen },
  );
}

async function record(cli: Cli, event: RecordedName, person: string, identity: Identity): Promise<void> {
  await recordFromCommand(cli, event, { person, ...identity, by: "user" });
}
