/** The passphrase of a backup. Never an argument or a variable: those are read by others. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { textOption, type Cli, type Input } from "../../host/cli/command.ts";
import { readAll } from "../../host/cli/read-input.ts";

const MIN_PASSPHRASE_CHARS = 12;

/**
 * Of the file that is named, else of `backup.passphrase`, else typed or piped in.
 * @param isNew Typed twice: whoever mistypes it never reads the backup.
 * @throws RuntimeError `usage.wrong` for a short one, or two that differ.
 */
export async function passphraseOf(
  cli: Cli,
  input: Input,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<string> {
  const { terminal, t } = cli;
  const file = textOption(input, "passphraseFile");
  const given =
    file !== undefined
      ? readFileSync(resolve(cli.environment.currentDirectory, file), "utf8")
      : (configured(cli) ?? (terminal.inputIsTerminal ? await typed(cli, isNew) : await readAll(terminal)));
  const passphrase = given.replace(/\r?\n$/, "");
  if ([...passphrase].length >= MIN_PASSPHRASE_CHARS) return passphrase;
  throw new RuntimeError("usage.wrong", t("backup.shortPassphrase", { count: MIN_PASSPHRASE_CHARS }));
}

/** The vault is opened for it alone, and only when it is there. */
function configured(cli: Cli): string | undefined {
  try {
    if (cli.loadShown().config.backup.passphrase === undefined) return undefined;
  } catch {
    return undefined; // a home whose settings cannot be read is a reason to restore another one
  }
  return cli.load().config.backup.passphrase;
}

async function typed(cli: Cli, isNew: boolean): Promise<string> {
  const { clackPrompts } = await import("../../host/cli/prompts.ts");
  const prompts = await clackPrompts(cli.signal);
  const ask = async (question: string): Promise<string> => (await prompts.password(question, () => undefined)) ?? "";
  const first = await ask(cli.t("backup.askPassphrase"));
  if (!isNew || (await ask(cli.t("backup.askAgain"))) === first) return first;
  throw new RuntimeError("usage.wrong", cli.t("backup.differ"));
}
