/** `margay secrets set|list|remove|check|rotate`: the vault and the keyring; a value is typed or piped in, never an argument. */
import { RuntimeError } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { openKeyring } from "../../config/secrets/keyring.ts";
import { openVault, SECRET_NAME, type Vault } from "../../config/secrets/vault.ts";
import type { KeyPlace, VaultKeyKind } from "../../config/secrets/vault-key.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, table } from "../../host/cli/output.ts";
import { readSecret } from "../../host/cli/read-input.ts";

export const setSecret: Run = async (cli, input) => {
  const name = nameOf(cli, input);
  const { t } = cli;
  const kind = keyKind(input) ?? "file";
  const inKeyring = input.options["keyring"] === true;
  const value = await readSecret(cli, t("secrets.ask", { name }));
  if (value === undefined || value === "") throw new RuntimeError("usage.wrong", t("secrets.empty", { name }));
  const reference = `\${${inKeyring ? "keyring" : "vault"}:${name}}`;
  if (inKeyring) openKeyring(placeOf(cli)).set(name, value);
  else {
    const place = await unlockable(cli, openVault(placeOf(cli)).keyKind ?? kind);
    await openVault(place).set(name, value, kind, systemClock().now());
  }
  cli.terminal.out(cli.json ? jsonLine({ name, reference }) : `${t("secrets.set", { name, reference })}\n`);
  return EXIT.done;
};

export const listSecrets: Run = async (cli) => {
  const items = vaultOf(cli)
    .list()
    .map(({ name, updatedAt }) => ({ name, reference: `\${vault:${name}}`, updatedAt }));
  if (cli.json) cli.terminal.out(jsonLine({ items }));
  else if (items.length === 0) cli.terminal.out(`${cli.t("secrets.none")}\n`);
  else
    cli.terminal.out(
      table(
        items.map(({ name, reference, updatedAt }) => [
          name,
          reference,
          new Date(updatedAt).toISOString().slice(0, 10),
        ]),
      ),
    );
  return EXIT.done;
};

export const removeSecret: Run = async (cli, input) => {
  const name = nameOf(cli, input);
  if (input.options["keyring"] === true) openKeyring(placeOf(cli)).remove(name);
  else {
    const { keyKind } = vaultOf(cli);
    const vault = openVault(keyKind === undefined ? placeOf(cli) : await unlockable(cli, keyKind));
    if (!(await vault.remove(name))) throw new RuntimeError("usage.wrong", cli.t("secrets.unknown", { name }));
  }
  cli.terminal.out(cli.json ? jsonLine({ name, removed: true }) : `${cli.t("secrets.removed", { name })}\n`);
  return EXIT.done;
};

export const checkSecrets: Run = async (cli) => {
  const { keyKind } = vaultOf(cli);
  const vault = openVault(keyKind === undefined ? placeOf(cli) : await unlockable(cli, keyKind));
  const names = vault.list().map(({ name }) => name);
  for (const name of names) vault.get(name);
  cli.terminal.out(
    cli.json
      ? jsonLine({ ok: true, key: keyKind ?? null, count: names.length })
      : `${cli.t(keyKind === undefined ? "secrets.none" : "secrets.opens", { count: names.length })}\n`,
  );
  return EXIT.done;
};

export const rotateSecrets: Run = async (cli, input) => {
  const { keyKind: before } = vaultOf(cli);
  if (before === undefined) throw new RuntimeError("usage.wrong", cli.t("vault.none"));
  const kind = keyKind(input) ?? before;
  const place = await unlockable(cli, before);
  const fresh = kind === "passphrase" ? { ...placeOf(cli), passphrase: await newPassphrase(cli) } : placeOf(cli);
  await openVault(place).rotate(kind, fresh);
  cli.terminal.out(cli.json ? jsonLine({ rotated: true, key: kind }) : `${cli.t("secrets.rotated")}\n`);
  return EXIT.done;
};

function vaultOf(cli: Cli): Vault {
  return openVault(placeOf(cli));
}

function placeOf({ places, environment, t }: Cli): KeyPlace {
  return { home: places.home, docs: places.docs, env: environment.env, t };
}

/** A person is asked for the passphrase where the environment does not say it. */
async function unlockable(cli: Cli, kind: VaultKeyKind): Promise<KeyPlace> {
  const place = placeOf(cli);
  const { env } = cli.environment;
  const given = (env["MARGAY_VAULT_PASSPHRASE"] ?? "") !== "" || (env["MARGAY_VAULT_PASSPHRASE_FILE"] ?? "") !== "";
  if (kind !== "passphrase" || given || !cli.terminal.interactive) return place;
  const passphrase = await readSecret(cli, cli.t("secrets.askPassphrase"));
  return passphrase === undefined ? place : { ...place, passphrase };
}

async function newPassphrase(cli: Cli): Promise<string> {
  const first = await readSecret(cli, cli.t("secrets.askNewPassphrase"));
  if (first === undefined || [...first].length < MIN_PASSPHRASE_CHARS)
    throw new RuntimeError("usage.wrong", cli.t("secrets.shortPassphrase", { count: MIN_PASSPHRASE_CHARS }));
  return first;
}

const MIN_PASSPHRASE_CHARS = 12;

function nameOf(cli: Cli, input: Input): string {
  const name = input.args[0] ?? "";
  if (SECRET_NAME.test(name)) return name;
  // Who types the value here by mistake does not read it again.
  throw new RuntimeError("usage.wrong", cli.t("secrets.badName"));
}

function keyKind(input: Input): VaultKeyKind | undefined {
  const kind = textOption(input, "key");
  return kind === "file" || kind === "passphrase" || kind === "keyring" ? kind : undefined;
}
