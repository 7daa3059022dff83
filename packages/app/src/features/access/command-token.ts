/** `margay token`: credentials for programs. */
import { RuntimeError } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { EXIT, listOption, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { callerOf } from "../../host/control/call.ts";
import { OWNER } from "../../host/people.ts";
import type { ACCESS_OPERATIONS } from "./actions.ts";

const call = callerOf<typeof ACCESS_OPERATIONS>();
const DAY_MS = 86_400_000;

const SCOPES = ["owner", "admin", "chat", "read", "metrics"] as const;

export const createToken: Run = async (cli, input) => {
  const scopes = scopesOf(cli, input);
  const name = textOption(input, "name") ?? scopes.join("+");
  const days = numberOption(cli, input, "days", 1, 3650);
  const budgetUsdPerDay = numberOption(cli, input, "budget", 0, 100_000);
  const reader = textOption(input, "for");
  const wanted = {
    name,
    scopes,
    ...(days !== undefined && { expiresAt: systemClock().now() + days * DAY_MS }),
    ...(budgetUsdPerDay !== undefined && { budgetUsdPerDay }),
    ...(reader !== undefined && { for: reader }),
  };
  const made = await call(cli, "access.createToken", wanted);
  if (cli.json) cli.terminal.out(jsonLine(made));
  else {
    cli.terminal.err(`${cli.t("token.made", { id: made.id })}\n${forText(cli, reader)}\n`);
    cli.terminal.out(`${made.token}\n`);
  }
  return EXIT.done;
};

/** Whose it is, where it is made. */
function forText(cli: Cli, reader = OWNER): string {
  if (reader === OWNER) return cli.t("token.for.owner");
  return cli.t(reader === "guest" ? "token.for.guest" : "token.for.person", { person: safeText(reader) });
}

export const listTokens: Run = async (cli) => {
  const items = await call(cli, "access.tokens", {});
  if (cli.json) cli.terminal.out(jsonLine({ items }));
  else if (items.length === 0) cli.terminal.out(`${cli.t("token.none")}\n`);
  else
    cli.terminal.out(
      table([
        ["Id", cli.t("token.name"), cli.t("token.scopes"), cli.t("token.until"), cli.t("token.whose")],
        ...items.map((one) => [
          one.id,
          safeText(one.name),
          one.scopes.join(" "),
          dateOf(one.expiresAt),
          safeText(one.for ?? OWNER),
        ]),
      ]),
    );
  return EXIT.done;
};

export const rotateToken: Run = async (cli, input) => {
  const id = input.args[0] ?? "";
  const graceSec = numberOption(cli, input, "grace", 0, 3600) ?? 0;
  const token = await call(cli, "access.rotateToken", { id, graceSec });
  if (token === null) throw unknown(cli, id);
  if (cli.json) cli.terminal.out(jsonLine({ id, token }));
  else {
    cli.terminal.err(`${cli.t("token.made", { id })}\n`);
    cli.terminal.out(`${token}\n`);
  }
  return EXIT.done;
};

export const revokeToken: Run = async (cli, input) => {
  const id = input.args[0] ?? "";
  if (!(await call(cli, "access.revokeToken", { id }))) throw unknown(cli, id);
  cli.terminal.out(cli.json ? jsonLine({ id, revoked: true }) : `${cli.t("token.revoked", { id })}\n`);
  return EXIT.done;
};

function unknown(cli: Cli, id: string): RuntimeError {
  return new RuntimeError("usage.wrong", cli.t("token.unknown", { id: safeText(id) }));
}

function scopesOf(cli: Cli, input: Input): (typeof SCOPES)[number][] {
  const typed = listOption(input, "scope");
  const wrong = typed.find((one) => !SCOPES.some((scope) => scope === one));
  if (wrong !== undefined) throw new RuntimeError("usage.wrong", cli.t("token.badScope", { name: safeText(wrong) }));
  return typed.length === 0 ? ["chat"] : SCOPES.filter((scope) => typed.includes(scope));
}

function numberOption(cli: Cli, input: Input, name: string, min: number, max: number): number | undefined {
  const value = textOption(input, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() !== "" && number >= min && number <= max) return number;
  throw new RuntimeError(
    "usage.wrong",
    cli.t("token.badNumber", { option: `--${name}`, value: safeText(value), min, max }),
  );
}

function dateOf(at: number | undefined): string {
  return at === undefined ? "–" : new Date(at).toISOString().slice(0, 10);
}
